#include "model/schedules/zbv_greedy.h"

#include <doctest/doctest.h>
#include <string>

#include "tests/timed_orders.h"

namespace steptwin {
namespace {

// F and f: forwards down and up; b and B: backwards up and down; w: a BWD_WEIGHT.
std::string letters(const std::vector<ZbvWork>& order) {
  std::string text;
  for (const ZbvWork& work : order) {
    text += work.is_weight ? 'w' : std::string("FfbB")[static_cast<std::size_t>(work.pass)];
  }
  return text;
}

// System: two ranks, equal costs of 10, no latency, room for two micro-batches, eight quarters.
// Expectations: micro-batch 0 is down at 20 and up again at 30 on rank 1; rank 0 waits for it from
// 10 to 30 and fits two more F, 6 of its quarters. Rank 1 catches up: it has F f, rank 0 FFF f, so
// F f F f in turn until it has as many and one more f.
TEST_CASE("warm-up: the first rank fills its wait, the second follows") {
  const ZbvGreedyOrder order = zbv_greedy(uniform_costs(4, 10, 10, 10, 0), 6, 8, {}).value();
  CHECK(letters(order.ranks[0]).substr(0, 6) == "FFFfbw");
  CHECK(letters(order.ranks[1]).substr(0, 4) == "FfFf");
  CHECK(order.largest_bubble() == 0);
  CHECK(order.longest_span == 6 * 60);
}

TEST_CASE("a gap too short for a BWD_WEIGHT is filled, or not, before a forward") {
  const ZbHeuristicCosts costs = uniform_costs(8, 5, 6, 4, 1);
  const ZbvGreedyOrder filled = zbv_greedy(costs, 8, 16, {true, true, {}}).value();
  const ZbvGreedyOrder left = zbv_greedy(costs, 8, 16, {false, true, {}}).value();
  CHECK(filled.longest_span == 266);
  CHECK(left.longest_span == 264);
}

// Two ranks, F 2, I 2, W 9: one W too many before a gradient that the other rank waits for costs 7.
TEST_CASE("granted bubbles let a rank idle as much as the one that idled most") {
  const ZbHeuristicCosts costs = uniform_costs(4, 2, 2, 9, 0);
  const ZbvGreedyOrder plain = zbv_greedy(costs, 5, 8, {true, false, {}}).value();
  CHECK(plain.largest_bubble() == 7);
  const ZbvGreedyOrder granted = zbv_greedy(costs, 5, 8, {true, false, plain.bubbles}).value();
  CHECK(granted.largest_bubble() == 4);
}

// System: rank 0's first forward takes 100 where rank 1's take 1; micro-batch 0 is back at once.
// Expectations: no second forward fits into that wait, but without two of them rank 1 would run
// dry.
TEST_CASE("the warm-up has enough forwards even where none fits into the wait") {
  ZbHeuristicCosts costs = uniform_costs(4, 1, 1, 1, 0);
  costs.forward_ns[0] = 100;
  CHECK(letters(zbv_greedy(costs, 6, 8, {}).value().ranks[0]).substr(0, 4) == "FFFf");
}

TEST_CASE("one rank never waits: backwards as soon as there is something to go back") {
  const ZbvGreedyOrder order = zbv_greedy(uniform_costs(2, 10, 10, 10, 7), 2, 4, {}).value();
  CHECK(order.longest_span == 120);
  CHECK(order.bubbles == std::vector<TimeNs>{0});
}

TEST_CASE("with four quarters a rank there is an order for every size") {
  for (std::int32_t ranks = 1; ranks <= 12; ++ranks) {
    for (std::int32_t micros = 1; micros <= 3 * ranks + 2; ++micros) {
      CAPTURE(ranks);
      CAPTURE(micros);
      CHECK(zbv_greedy(uniform_costs(2 * ranks, 7, 9, 5, 3), micros, 4 * ranks, {}).has_value());
    }
  }
}

}  // namespace
}  // namespace steptwin
