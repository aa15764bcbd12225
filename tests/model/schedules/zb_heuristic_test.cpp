#include "model/schedules/zb_heuristic.h"

#include <doctest/doctest.h>
#include <limits>

#include "model/error.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

// System: two stages, two micro-batches, every step 10 ns, no latency.

TEST_CASE("without a limit the first stage runs ahead and fills its wait with W") {
  // rank 0   F0 F1 .. I0 W0 I1 W1      the wait for I0, 20 to 30, cannot be filled
  // rank 1   .. F0 I0 F1 I1 W0 W1
  const ZbHeuristicCosts costs = uniform_costs(2, 10, 10, 10, 0);
  const Schedule schedule = zb_heuristic(costs, 2);
  CHECK(schedule.name == "zb_heuristic");
  CHECK(schedule.stages == loop_map(2, 1));
  CHECK(schedule.micro_batches == 2);
  CHECK(order_text(schedule.ranks[0]) == "0F0 0F1 0I0 0W0 0I1 0W1");
  CHECK(order_text(schedule.ranks[1]) == "1F0 1I0 1F1 1I1 1W0 1W1");
  CHECK(time_order(schedule, costs).longest_span() == 70);
}

TEST_CASE("room for one micro-batch: it must be over before the next begins") {
  const ZbHeuristicCosts costs = uniform_costs(2, 10, 10, 10, 0);
  const Schedule schedule = zb_heuristic(costs, 2, 1);
  CHECK(order_text(schedule.ranks[0]) == "0F0 0I0 0W0 0F1 0I1 0W1");
  CHECK(order_text(schedule.ranks[1]) == "1F0 1I0 1W0 1F1 1I1 1W1");
}

TEST_CASE("room for one and a half: the next may begin once the gradient has freed its half") {
  const ZbHeuristicCosts costs = uniform_costs(2, 10, 10, 10, 0);
  const Schedule schedule = zb_heuristic(costs, 2, 1.5);
  CHECK(order_text(schedule.ranks[0]) == "0F0 0I0 0F1 0W0 0I1 0W1");
  CHECK(order_text(schedule.ranks[1]) == "1F0 1I0 1W0 1F1 1I1 1W1");
  const TimedOrder timed = time_order(schedule, costs);
  CHECK(timed.ranks[0].peak_halves == 3);
  CHECK(timed.ranks[0].peak_live == 2);
}

TEST_CASE("one stage, one micro-batch") {
  CHECK(order_text(zb_heuristic(uniform_costs(1, 1, 1, 1, 0), 1).ranks[0]) == "0F0 0I0 0W0");
}

TEST_CASE("a slow first stage does not let the next run ahead of it") {
  // The second stage could fit five more forwards into its wait for the first gradient, but the
  // first stage has sent no more than two by then.
  ZbHeuristicCosts costs = uniform_costs(3, 1, 1, 1, 5);
  costs.forward_ns[0] = 100;
  const Schedule schedule = zb_heuristic(costs, 6);
  CHECK(time_order(schedule, costs).complete);
  CHECK(order_text(schedule.ranks[1]).substr(0, 7) == "1F0 1I0");
}

TEST_CASE("a huge limit is no limit") {
  const ZbHeuristicCosts costs = uniform_costs(4, 10, 12, 8, 1);
  const Schedule schedule = zb_heuristic(costs, 12, std::numeric_limits<double>::infinity());
  CHECK(schedule.ranks == zb_heuristic(costs, 12).ranks);
}

TEST_CASE("what makes no sense is refused, with the rule") {
  const ZbHeuristicCosts costs = uniform_costs(2, 10, 10, 10, 0);
  CHECK_THROWS_WITH_AS(zb_heuristic(costs, 2, 0.5),
                       "error: zb_heuristic with a memory limit of 0.5; expected room for at least "
                       "1 micro-batch of activations per rank, or 0 for no limit",
                       Error);
  CHECK_THROWS_AS(zb_heuristic(costs, 2, -2), Error);
  CHECK_THROWS_AS(zb_heuristic(costs, 2, std::numeric_limits<double>::quiet_NaN()), Error);
  CHECK_THROWS_AS(zb_heuristic(costs, 0), Error);
  CHECK_THROWS_AS(zb_heuristic(ZbHeuristicCosts{}, 2), Error);
  ZbHeuristicCosts uneven = costs;
  uneven.backward_weight_ns.push_back(10);
  CHECK_THROWS_WITH_AS(zb_heuristic(uneven, 2),
                       "error: zb_heuristic with 3 backward-weight times for 2 stages; expected "
                       "one for each stage",
                       Error);
  CHECK_THROWS_AS(zb_heuristic(uniform_costs(2, 10, -1, 10, 0), 2), Error);
  CHECK_THROWS_AS(zb_heuristic(uniform_costs(2, 10, 10, 10, -1), 2), Error);
}

}  // namespace
}  // namespace steptwin
