#include "model/schedules/zbv_heuristic.h"

#include <doctest/doctest.h>
#include <limits>

#include "model/error.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

TEST_CASE("equal costs: no rank idles between its first step and its last, with R micro-batches") {
  // 3 * 10 for each of two stages.
  for (std::int32_t ranks = 1; ranks <= 6; ++ranks) {
    for (std::int32_t micros = 2 * ranks; micros <= 3 * ranks; ++micros) {
      CAPTURE(ranks);
      CAPTURE(micros);
      const ZbHeuristicCosts costs = uniform_costs(2 * ranks, 10, 10, 10, 0);
      const TimedOrder timed = time_order(zbv_heuristic(costs, micros), costs);
      REQUIRE(timed.complete);
      CHECK(timed.longest_span() == 60 * micros);
      for (const RankTimes& rank : timed.ranks) CHECK(rank.peak_live <= 2 * ranks);
    }
  }
}

TEST_CASE("one rank, and one micro-batch") {
  const Schedule lone = zbv_heuristic(uniform_costs(2, 10, 10, 10, 0), 1);
  CHECK(lone.name == "zbv_heuristic");
  CHECK(order_text(lone.ranks[0]) == "0F0 1F0 1I0 0I0 1W0 0W0");
  const Schedule schedule = zbv_heuristic(uniform_costs(4, 10, 10, 10, 0), 1);
  CHECK(schedule.stages == v_map(2, 2));
  CHECK(order_text(schedule.ranks[0]) == "0F0 3F0 3I0 3W0 0I0 0W0");
}

TEST_CASE("more room than the default lets ranks run further ahead") {
  const ZbHeuristicCosts costs = uniform_costs(8, 5, 6, 4, 1);
  const TimedOrder tight = time_order(zbv_heuristic(costs, 16), costs);
  const TimedOrder roomy = time_order(zbv_heuristic(costs, 16, 8), costs);
  CHECK(roomy.longest_span() < tight.longest_span());
  CHECK(roomy.ranks[0].peak_halves > tight.ranks[0].peak_halves);
  CHECK(zbv_heuristic(costs, 16, 4).ranks == zbv_heuristic(costs, 16).ranks);
  const double huge = std::numeric_limits<double>::infinity();
  CHECK(zbv_heuristic(costs, 16, huge).ranks == zbv_heuristic(costs, 16, 1000).ranks);
}

TEST_CASE("what makes no sense is refused, with the rule") {
  const ZbHeuristicCosts costs = uniform_costs(8, 10, 10, 10, 0);
  CHECK_THROWS_WITH_AS(zbv_heuristic(costs, 8, 3.5),
                       "error: zbv_heuristic with a memory limit of 3.5; expected room for at "
                       "least 4 micro-batches of activations per rank, one for each rank, or 0 for "
                       "that many",
                       Error);
  CHECK_THROWS_AS(zbv_heuristic(costs, 8, -1), Error);
  CHECK_THROWS_AS(zbv_heuristic(costs, 8, std::numeric_limits<double>::quiet_NaN()), Error);
  CHECK_THROWS_AS(zbv_heuristic(costs, 0), Error);
  CHECK_THROWS_AS(zbv_heuristic(ZbHeuristicCosts{}, 2), Error);
  CHECK_THROWS_WITH_AS(zbv_heuristic(uniform_costs(3, 10, 10, 10, 0), 2),
                       "error: zbv_heuristic with 3 stages; expected two for each rank", Error);
  CHECK_THROWS_AS(zbv_heuristic(uniform_costs(2, 10, -1, 10, 0), 2), Error);
}

}  // namespace
}  // namespace steptwin
