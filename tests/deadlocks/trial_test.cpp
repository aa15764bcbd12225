#include "deadlocks/trial.h"

#include <doctest/doctest.h>

#include "tests/deadlocks/hanging.h"

namespace steptwin::deadlocks {
namespace {

TEST_CASE("a trial runs, hangs or is refused") {
  CHECK(Given("rank0: FWD(s0,m0) BWD(s0,m0)").tried().ending == Ending::runs);
  const Trial hangs = Given(kBackwardFirst).tried();
  CHECK(hangs.ending == Ending::hangs);
  CHECK(hangs.deadlock.cycle.size() == 2);
  CHECK(hangs.program.kernels.size() == 8);
  const Trial refused = Given("rank0: FWD(s0,m0) BWD_INPUT(s0,m0)").tried();
  CHECK(refused.ending == Ending::refused);
  CHECK(refused.why == "rank 0: BWD_WEIGHT(s0,m0) is missing");
}

TEST_CASE("effort that is used up tries nothing any more") {
  const Given given(kBackwardFirst);
  Effort effort(17);  // twice eight kernels, and one
  CHECK(try_out(given.schedule, given.scenario, effort).ending == Ending::hangs);
  CHECK(try_out(given.schedule, given.scenario, effort).ending == Ending::hangs);
  CHECK_FALSE(effort.is_over());
  CHECK(try_out(given.schedule, given.scenario, effort).ending == Ending::not_tried);
  CHECK(effort.is_over());
  CHECK_FALSE(effort.spend(1));
}

}  // namespace
}  // namespace steptwin::deadlocks
