#include "model/scenario_program.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "model/scenario_schedule.h"
#include "tests/scenarios.h"

namespace steptwin {
namespace {

// One rank, 2 micro-batches: 2 forwards of 10 us and 2 backwards of 20 us.
Scenario one_rank() {
  return stage_scenario("1f1b", 1, 1, 2, 10, 10, 10, 0);
}

TimeNs step_ns(const Scenario& scenario) {
  return makespan_ns(trace_of(scenario_program(make_schedule(scenario), scenario)));
}

TEST_CASE("without a machine the Program is what the schedule is lowered to") {
  CHECK(step_ns(one_rank()) == 60'000);
}

TEST_CASE("with a machine it is that of the machine, by the kernels that are asked for") {
  Scenario scenario = one_rank();
  scenario.machine.given = true;
  scenario.machine.machine.lateness.us = 3;
  scenario.machine.machine.effective_cores = 1;
  CHECK(step_ns(scenario) == 60'000);  // real kernels know no lateness
  scenario.machine.kernels = MachineKernels::timed;
  CHECK(step_ns(scenario) == 60'000 + 4 * 3'000);
  scenario.machine.given = false;
  CHECK(step_ns(scenario) == 60'000);
}

// Two ranks on one core compute at half their speed while both do.
TEST_CASE("real kernels share the machine's cores") {
  Scenario scenario = stage_scenario("gpipe", 2, 1, 2, 10, 10, 10, 0);
  scenario.machine.given = true;
  scenario.machine.machine.effective_cores = 2;
  CHECK(step_ns(scenario) == 90'000);
  scenario.machine.machine.effective_cores = 1;
  CHECK(step_ns(scenario) == 120'000);  // all work, one after the other
}

TEST_CASE("durations that cannot be added up are refused") {
  Scenario scenario = stage_scenario("1f1b", 4, 1, 1024, 10, 10, 10, 0);
  scenario.stage.output_bytes = {8};
  scenario.machine.given = true;
  scenario.machine.kernels = MachineKernels::timed;
  scenario.machine.machine.lateness.us = 1e9;
  CHECK_NOTHROW((void)scenario_program(make_schedule(scenario), scenario));
  scenario.machine.machine.transfer = {1e9, 1e-300, 0, 0};
  CHECK_THROWS_WITH_AS((void)scenario_program(make_schedule(scenario), scenario),
                       doctest::Contains("come to more than 73 years"), Error);
}

}  // namespace
}  // namespace steptwin
