#include "model/schedules/zb_greedy.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/timed_orders.h"

namespace steptwin {
namespace {

std::string letters(const std::vector<ZbWork>& order) {
  std::string text;
  for (const ZbWork work : order) {
    text += work == ZbWork::forward ? 'F' : work == ZbWork::backward_input ? 'I' : 'W';
  }
  return text;
}

TEST_CASE("a forward that needs a W first, and so comes too late, is held back") {
  // System: three stages, eight micro-batches, F 8, I 7, W 1, hop 4, room for five micro-batches.
  // Expectations: before I5, stage 1 stands at 110 with seven forwards and five I, nine halves of
  // its ten. Stage 2 stands at 99 with five forwards, so I5 can be here at 99 + 8 + 7 + 4 = 118.
  // F7 would end at 118, but needs one W first: 119. Waiting costs 8; stage 0 has idled 18, stage 1
  // only 7, so it is affordable. Without backward_first F7 goes ahead at once, after that one W.
  const ZbHeuristicCosts costs = uniform_costs(3, 8, 7, 1, 4);
  const ZbGreedyOrder held = zb_greedy(costs, 8, 10, {true, true, true});
  CHECK(letters(held.stages[1]) == "FFFIFIFIFIFIWWWWWIFIWWIW");
  CHECK(held.longest_span == 175);
  const ZbGreedyOrder hurried = zb_greedy(costs, 8, 10, {true, false, true});
  CHECK(letters(hurried.stages[1]).substr(0, 15) == "FFFIFIFIFIFIWFI");
}

TEST_CASE("the first backward: a forward that would end after it arrives is a choice") {
  // Two stages, F 4, I 2, W 1: I0 arrives at stage 0 at 4 + 4 + 2 = 10, when a second forward has
  // ended (8) and a third would end at 12.
  const ZbHeuristicCosts costs = uniform_costs(2, 4, 2, 1, 0);
  CHECK(letters(zb_greedy(costs, 4, 8, {true, false, true}).stages[0]).substr(0, 3) == "FFI");
  CHECK(letters(zb_greedy(costs, 4, 8, {false, false, true}).stages[0]).substr(0, 4) == "FFFI");
}

}  // namespace
}  // namespace steptwin
