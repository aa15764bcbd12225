#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>

#include "model/formats/torch_fit.h"
#include "model/passes/torch_comms.h"
#include "model/schedules/schedules.h"
#include "tests/property_count.h"
#include "tests/schedule_checks.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20250118;

struct Variant {
  const char* schedule;
  std::int32_t most_chunks;
  OverlapMode overlap = OverlapMode::none;
};

constexpr std::array<Variant, 7> kVariants = {{{"gpipe", 1},
                                               {"1f1b", 1},
                                               {"interleaved_1f1b", 4},
                                               {"interleaved_1f1b", 4, OverlapMode::b_f},
                                               {"looped_bfs", 4},
                                               {"zb_h1", 1},
                                               {"interleaved_zb", 4}}};

int count_of(const Schedule& schedule, StepType type) {
  int count = 0;
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) count += slot && slot->type == type ? 1 : 0;
  }
  return count;
}

TEST_CASE("any compute order lowers to one that pairs its transfers and needs one queue a rank") {
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  const auto up_to = [&random](std::int32_t most) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(most)) + 1;
  };
  for (int round = 0; round < property_count(500); ++round) {
    CAPTURE(round);
    const Variant& variant = kVariants[random() % kVariants.size()];
    CAPTURE(variant.schedule);
    ScheduleRequest request;
    request.ranks = up_to(8);
    request.chunks_per_rank = up_to(variant.most_chunks);
    request.micro_batches = request.ranks * up_to(4);  // interleaved_zb wants whole rounds
    request.overlap = variant.overlap;
    const Schedule built = build_schedule(variant.schedule, request);
    const Schedule order = fit_to_torch(built, TorchLevel::compute_only).schedule;
    CHECK(schedule_fault(add_torch_comms(order, false)) == "");

    const Schedule sharded = add_torch_comms(order);
    CHECK(schedule_fault(sharded) == "");
    CHECK(count_of(sharded, StepType::fsdp_reduce_grad) == built.stages.stages());
    CHECK(count_of(sharded, StepType::fsdp_unshard) == count_of(sharded, StepType::fsdp_reshard));
    CHECK(fit_to_torch(sharded, TorchLevel::compute_only).schedule.ranks ==
          fit_to_torch(add_torch_comms(order, false), TorchLevel::compute_only).schedule.ranks);
  }
}

}  // namespace
}  // namespace steptwin
