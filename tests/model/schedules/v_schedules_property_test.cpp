#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "model/schedules/dual_pipe.h"
#include "model/schedules/one_f_one_b_v.h"
#include "model/schedules/v_half.h"
#include "model/schedules/zbv_heuristic.h"
#include "tests/property_count.h"
#include "tests/random_costs.h"
#include "tests/schedule_checks.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20250412;

// Whole, and every rank comes to its end whatever the costs; what each holds at most.
std::vector<RankTimes> timed_whole(const Schedule& schedule, RandomCosts& draw) {
  CAPTURE(schedule.name);
  CHECK(compute_fault(schedule) == "");
  const TimedOrder timed = time_order(schedule, draw.costs(schedule.stages.stages()));
  CHECK(timed.complete);
  return timed.ranks;
}

TEST_CASE("V schedules are whole, can be executed and keep to their memory") {
  RandomCosts draw(kSeed, 40);
  for (int round = 0; round < property_count(400); ++round) {
    const std::int32_t ranks = draw.number(1, 14);
    const std::int32_t micros = draw.number(1, 40);
    CAPTURE(kSeed);
    CAPTURE(round);
    CAPTURE(ranks);
    CAPTURE(micros);
    for (const RankTimes& rank : timed_whole(v_half(ranks, micros), draw)) {
      CHECK(rank.peak_live <= 2 * ((ranks + 2) / 2));
    }
    for (const RankTimes& rank : timed_whole(v_min(ranks, micros), draw)) {
      CHECK(rank.peak_live <= 2 * ((ranks + 4) / 3));
    }
    for (const RankTimes& rank : timed_whole(one_f_one_b_v(ranks, micros), draw)) {
      CHECK(rank.peak_live <= 2 * (2 * ranks / 3 + 1));
    }
  }
}

TEST_CASE("dualpipe and dualpipe_v are whole, can be executed and keep to their memory") {
  RandomCosts draw(kSeed, 40);
  for (int round = 0; round < property_count(400); ++round) {
    const std::int32_t ranks = draw.number(1, 9);
    const std::int32_t micros = 2 * ranks + draw.number(0, 20);
    CAPTURE(kSeed);
    CAPTURE(round);
    CAPTURE(ranks);
    CAPTURE(micros);
    for (const RankTimes& rank : timed_whole(dual_pipe_v(ranks, micros), draw)) {
      CHECK(rank.peak_live == 2 * ranks + 1);
    }
    for (const RankTimes& rank : timed_whole(dual_pipe(2 * ranks, 2 * micros), draw)) {
      CHECK(rank.peak_live == 2 * ranks + 1);
    }
  }
}

TEST_CASE("zbv_heuristic: whole, executable and within its memory, whatever the costs") {
  RandomCosts draw(kSeed, 40);
  for (int round = 0; round < property_count(2000); ++round) {
    const std::int32_t ranks = draw.number(1, 9);
    const std::int32_t micros = draw.number(1, 30);
    const std::int32_t quarters = 4 * ranks + draw.number(0, 3) * draw.number(0, 2 * ranks);
    const ZbHeuristicCosts costs = draw.costs(2 * ranks);
    CAPTURE(kSeed);
    CAPTURE(round);
    CAPTURE(ranks);
    CAPTURE(micros);
    CAPTURE(quarters);
    const Schedule schedule = zbv_heuristic(costs, micros, quarters / 4.0);
    CHECK(compute_fault(schedule) == "");
    const TimedOrder timed = time_order(schedule, costs);
    CHECK(timed.complete);
    // A forward is a half of a micro-batch on a rank, two quarters, as many as it has `halves`.
    for (const RankTimes& rank : timed.ranks) CHECK(rank.peak_halves <= quarters);
  }
}

}  // namespace
}  // namespace steptwin
