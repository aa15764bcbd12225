#include "deadlocks/exchange.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/deadlocks/hanging.h"

namespace steptwin::deadlocks {
namespace {

std::vector<std::string> possible(const Given& given) {
  const Trial trial = given.tried();
  REQUIRE(trial.ending == Ending::hangs);
  std::vector<std::string> texts;
  for (const Exchange& exchange :
       possible_exchanges(given.schedule, trial.program, trial.deadlock)) {
    texts.push_back(exchange_text(exchange));
  }
  return texts;
}

ExchangeSearch search(const Given& given, std::size_t effort_in_kernels = 1'000'000) {
  const Trial trial = given.tried();
  REQUIRE(trial.ending == Ending::hangs);
  Effort effort(effort_in_kernels);
  return find_exchange(given.schedule, given.scenario, trial.program, trial.deadlock, effort);
}

TEST_CASE("possible exchanges: neighbours from what hangs to what is waited for, transfers first") {
  CHECK(possible(Given(kFarAway)) == std::vector<std::string>{
                                         "BWD_RECV(s0,m0) and FWD(s0,m0) on rank 0 (slots 0 and 1)",
                                         "FWD(s0,m0) and FWD_SEND(s0,m0) on rank 0 (slots 1 and 2)",
                                         "FWD_RECV(s1,m0) and FWD(s1,m0) on rank 1 (slots 0 and 1)",
                                         "BWD(s1,m0) and BWD_SEND(s1,m0) on rank 1 (slots 2 and 3)",
                                         "FWD(s1,m0) and BWD(s1,m0) on rank 1 (slots 1 and 2)",
                                     });
  CHECK(possible(Given(kBackwardFirst))[0] ==
        "BWD_RECV(s0,m0) and FWD_SEND(s0,m0) on rank 0 (slots 1 and 3)");
}

TEST_CASE("an exchange leaves bubbles where they are") {
  const Given given(kBackwardFirst);
  const ExchangeSearch found = search(given);
  CHECK(found.tried == 1);
  REQUIRE(found.found.has_value());
  const Schedule changed = exchanged(given.schedule, *found.found);
  CHECK(steps_text(changed.ranks[0]) == "FWD(s0,m0) FWD_SEND(s0,m0) - BWD_RECV(s0,m0) BWD(s0,m0)");
  CHECK(changed.ranks[1] == given.schedule.ranks[1]);
  Effort effort(100);
  CHECK(try_out(changed, given.scenario, effort).ending == Ending::runs);
}

// Rank 0 would send m1 first, which rank 1 receives second: the exchange of the two sends is
// refused, not advised.
TEST_CASE("an exchange that would pair a send with the wrong receive is not found") {
  const Given given(
      "rank0: FWD(s0,m0) FWD(s0,m1) BWD_RECV(s0,m0) FWD_SEND(s0,m0) FWD_SEND(s0,m1) BWD(s0,m0) "
      "BWD_RECV(s0,m1) BWD(s0,m1)\n"
      "rank1: FWD_RECV(s1,m0) FWD_RECV(s1,m1) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0) FWD(s1,m1) "
      "BWD(s1,m1) BWD_SEND(s1,m1)\n");
  const ExchangeSearch found = search(given);
  // Behind FWD_SEND(s0,m0) the receive still stands before FWD_SEND(s0,m1), which rank 1 wants.
  CHECK_FALSE(found.found.has_value());
  CHECK(found.tried == static_cast<std::int32_t>(possible(given).size()));
}

TEST_CASE("two exchanges away: none helps, and the effort may end before all are tried") {
  CHECK_FALSE(search(Given(kFarAway)).found.has_value());
  CHECK(search(Given(kFarAway)).tried == 5);
  CHECK(search(Given(kFarAway), 7).tried == 0);  // the first has eight kernels
  CHECK(search(Given(kFarAway), 8).tried == 5);  // the others are refused without being run
}

TEST_CASE("boundary transfers of one overlap are exchanged within it") {
  const Schedule schedule = read_steps(
      "rank0: FWD(s0,m0) OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]{FWD_SEND(s0,m1)|BWD_RECV(s0,m1)} "
      "BWD(s0,m1)\nrank1: FWD(s1,m0)",
      "test.steps");
  const std::vector<Step>& boundary = schedule.ranks[0][1]->boundary_p2p();
  const Exchange exchange{0, 1, 1, 0, boundary[0], boundary[1]};
  CHECK(exchange_text(exchange) ==
        "FWD_SEND(s0,m1) and BWD_RECV(s0,m1) on rank 0 (boundary of slot 1)");
  CHECK(steps_text(exchanged(schedule, exchange).ranks[0]) ==
        "FWD(s0,m0) OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]{BWD_RECV(s0,m1)|FWD_SEND(s0,m1)} "
        "BWD(s0,m1)");
}

}  // namespace
}  // namespace steptwin::deadlocks
