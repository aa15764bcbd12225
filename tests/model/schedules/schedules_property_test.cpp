#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

#include "model/passes/recv_placement.h"
#include "model/schedules/schedules.h"
#include "tests/schedule_checks.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20240611;

struct Variant {
  const char* schedule;
  OverlapMode overlap = OverlapMode::none;
  bool less_memory = false;
};

constexpr std::int32_t kMostChunks = 4;

// The sizes that the schedule allows.
bool is_allowed(const std::string& schedule, std::int32_t ranks, std::int32_t chunks,
                std::int32_t micro_batches) {
  const std::int32_t prescribed = chunks_prescribed(schedule);
  if (prescribed != 0 && chunks != prescribed) return false;
  if (schedule == "dualpipe" && (ranks % 2 != 0 || micro_batches % 2 != 0)) return false;
  if (schedule.starts_with("dualpipe")) return micro_batches >= 2 * ranks;
  const std::int32_t rounds = std::max(1, micro_batches / ranks);
  return schedule != "interleaved_zb" || micro_batches % rounds == 0;
}

// Calls test(request) with R to 9, V to 4 and M to 20 at random, and with all small ones.
template <typename Test>
void for_sizes(const Variant& variant, Test&& test) {
  ScheduleRequest request;
  request.overlap = variant.overlap;
  request.less_memory = variant.less_memory;
  int allowed = 0;
  const auto call = [&](std::int32_t ranks, std::int32_t chunks, std::int32_t micro_batches) {
    if (!is_allowed(variant.schedule, ranks, chunks, micro_batches)) return;
    ++allowed;
    request.ranks = ranks;
    request.chunks_per_rank = chunks;
    request.micro_batches = micro_batches;
    request.forward_ns.assign(static_cast<std::size_t>(ranks * chunks), 10);
    request.backward_input_ns.assign(request.forward_ns.size(), 12);
    request.backward_weight_ns.assign(request.forward_ns.size(), 8);
    request.p2p_ns = 1;
    CAPTURE(variant.schedule);
    CAPTURE(ranks);
    CAPTURE(chunks);
    CAPTURE(micro_batches);
    test(request);
  };
  for (std::int32_t ranks = 1; ranks <= 4; ++ranks) {
    for (std::int32_t chunks = 1; chunks < kMostChunks; ++chunks) {
      for (std::int32_t micro = 1; micro <= 6; ++micro) call(ranks, chunks, micro);
    }
  }
  std::mt19937_64 random(kSeed);
  CAPTURE(kSeed);
  const auto up_to = [&random](std::int32_t most) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(most)) + 1;
  };
  const int enough = allowed + 60;
  while (allowed < enough) {
    const std::int32_t ranks = up_to(9);
    const std::int32_t chunks = up_to(kMostChunks);
    call(ranks, chunks, up_to(20));
  }
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> collected = {{"interleaved_1f1b", OverlapMode::b_f},
                                      {"interleaved_1f1b", OverlapMode::none, true}};
    for (const std::string_view name : schedule_names()) collected.push_back({name.data()});
    return collected;
  }();
  return all;
}

TEST_CASE("every schedule computes all once, pairs its transfers and needs one queue a rank") {
  for (const Variant& variant : variants()) {
    for_sizes(variant, [&](ScheduleRequest request) {
      CHECK(schedule_fault(build_schedule(variant.schedule, request)) == "");
      request.data_steps = true;
      CHECK(schedule_fault(build_schedule(variant.schedule, request)) == "");
    });
  }
}

TEST_CASE("late receives keep their messages and come before their consumers") {
  for (const Variant& variant : variants()) {
    for_sizes(variant, [&](ScheduleRequest request) {
      for (const bool data_steps : {false, true}) {
        request.data_steps = data_steps;
        const Schedule late = place_recvs_late(build_schedule(variant.schedule, request));
        CHECK(compute_fault(late) == "");
        CHECK(input_fault(late) == "");
        CHECK(pairing_fault(late) == "");
      }
    });
  }
}

TEST_CASE("renaming the ranks changes nothing but their names") {
  for (const Variant& variant : variants()) {
    for_sizes(variant, [&](ScheduleRequest request) {
      const Schedule plain = build_schedule(variant.schedule, request);
      request.stage_map = StageMapKind::list;
      for (const std::int32_t rank : plain.stages.rank_of_stage) {
        request.stage_map_list.push_back((rank + 1) % request.ranks);
      }
      const Schedule renamed = build_schedule(variant.schedule, request);
      CHECK(schedule_fault(renamed) == "");
      for (std::size_t rank = 0; rank < plain.ranks.size(); ++rank) {
        CHECK(renamed.ranks[(rank + 1) % plain.ranks.size()] == plain.ranks[rank]);
      }
    });
  }
}

}  // namespace
}  // namespace steptwin
