#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/schedules/zb_greedy.h"
#include "model/schedules/zb_heuristic.h"
#include "model/schedules/zero_bubble.h"
#include "tests/random_costs.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20240613;

// Every F, I and W of every stage and micro-batch exactly once, on the rank that holds the stage.
void check_whole(const Schedule& schedule) {
  std::set<std::tuple<StepType, std::int32_t, std::int32_t>> seen;
  std::size_t steps = 0;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Slot& slot : schedule.ranks[rank]) {
      const Step& step = slot.value();
      REQUIRE(schedule.stages.rank_of(step.stage) == static_cast<std::int32_t>(rank));
      REQUIRE(step.micro < schedule.micro_batches);
      seen.insert({step.type, step.stage, step.micro});
      ++steps;
    }
  }
  const std::int32_t expected = 3 * schedule.stages.stages() * schedule.micro_batches;
  CHECK(steps == static_cast<std::size_t>(expected));
  CHECK(seen.size() == static_cast<std::size_t>(expected));
  for (const StepType type : {StepType::fwd, StepType::bwd_input, StepType::bwd_weight}) {
    CHECK(std::count_if(seen.begin(), seen.end(), [type](const auto& step) {
            return std::get<0>(step) == type;
          }) == expected / 3);
  }
}

void check_peaks(const TimedOrder& timed, std::int32_t peak) {
  for (const RankTimes& rank : timed.ranks) CHECK(rank.peak_live == peak);
}

TEST_CASE("fixed zero-bubble orders are whole, can be executed and keep to their memory") {
  RandomCosts draw(kSeed, 12);
  for (int round = 0; round < 400; ++round) {
    const std::int32_t ranks = draw.number(1, 9);
    const std::int32_t micros = draw.number(1, 40);
    CAPTURE(kSeed);
    CAPTURE(round);
    CAPTURE(ranks);
    CAPTURE(micros);
    const auto timed_whole = [&draw](const Schedule& schedule) {
      CAPTURE(schedule.name);
      check_whole(schedule);
      const TimedOrder timed = time_order(schedule, draw.costs(schedule.stages.stages()));
      CHECK(timed.complete);
      return timed;
    };
    check_peaks(timed_whole(zb_h1(ranks, micros)), std::min(ranks, micros));
    check_peaks(timed_whole(zb_h2(ranks, micros)), std::min(2 * ranks - 1, micros));
    const TimedOrder folded = timed_whole(zbv(ranks, micros));
    if (micros >= 2 * ranks - 1) check_peaks(folded, 2 * ranks);
    for (const RankTimes& rank : folded.ranks) CHECK(rank.peak_live <= 2 * ranks);
  }
}

TEST_CASE("interleaved_zb is whole and can be executed, also with fewer micro-batches than ranks") {
  RandomCosts draw(kSeed, 12);
  for (int round = 0; round < 400; ++round) {
    const std::int32_t ranks = draw.number(1, 8);
    const std::int32_t chunks = draw.number(1, 4);
    const std::int32_t rounds = draw.number(1, 4);
    // M in [rounds R, (rounds + 1) R) and a multiple of rounds; for one round any M below 2R.
    const std::int32_t group = ranks + draw.number(0, (ranks - 1) / rounds);
    const std::int32_t micros = rounds == 1 ? draw.number(1, 2 * ranks - 1) : rounds * group;
    CAPTURE(kSeed);
    CAPTURE(round);
    CAPTURE(ranks);
    CAPTURE(chunks);
    CAPTURE(micros);
    const Schedule schedule = interleaved_zb(ranks, chunks, micros);
    check_whole(schedule);
    const TimedOrder timed = time_order(schedule, draw.costs(ranks * chunks));
    CHECK(timed.complete);
    const std::int32_t live = (chunks - 1) * (micros / std::max(1, micros / ranks)) + ranks;
    check_peaks(timed, std::min(live, micros * chunks));
  }
}

TEST_CASE("zb_heuristic: whole, executable, within its memory, and no longer than any choice") {
  RandomCosts draw(kSeed, 12);
  for (int round = 0; round < 500; ++round) {
    const std::int32_t ranks = draw.number(1, 9);
    const std::int32_t micros = draw.number(1, 30);
    const std::int32_t halves = draw.number(2, 4 * ranks + 2);
    const ZbHeuristicCosts costs = draw.costs(ranks);
    CAPTURE(kSeed);
    CAPTURE(round);
    CAPTURE(ranks);
    CAPTURE(micros);
    CAPTURE(halves);
    const Schedule schedule = zb_heuristic(costs, micros, halves / 2.0);
    check_whole(schedule);
    const TimedOrder timed = time_order(schedule, costs);
    REQUIRE(timed.complete);
    for (const RankTimes& rank : timed.ranks) CHECK(rank.peak_halves <= halves);
    const bool flags[] = {false, true};
    for (const bool bubble : flags) {
      for (const bool backward : flags) {
        for (const bool fill : flags) {
          const ZbGreedyOrder order = zb_greedy(costs, micros, halves, {bubble, backward, fill});
          CHECK(timed.longest_span() <= order.longest_span);
        }
      }
    }
  }
}

}  // namespace
}  // namespace steptwin
