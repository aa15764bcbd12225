#pragma once

#include <cassert>
#include <string>

#include "deadlocks/trial.h"
#include "model/formats/steps_text.h"
#include "model/schedule.h"
#include "tests/scenarios.h"

namespace steptwin::deadlocks {

// Step lists in a scenario that takes them as they stand: each step 1 us, transfers no time.
struct Given {
  explicit Given(const std::string& lists) : schedule(read_steps(lists, "test.steps")) {
    scenario =
        stage_scenario("1f1b", schedule.stages.stages(), 1, schedule.micro_batches, 1, 1, 1, 0);
  }

  Trial tried() const {
    Effort effort(1'000'000);
    return try_out(schedule, scenario, effort);
  }

  Schedule schedule;
  Scenario scenario;
};

// Rank 0 wants its gradient before it has sent what the gradient is of.
inline const std::string kBackwardFirst =
    "rank0: FWD(s0,m0) BWD_RECV(s0,m0) - FWD_SEND(s0,m0) BWD(s0,m0)\n"
    "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";
// The same, with a computation between: two exchanges away from running.
inline const std::string kFarAway =
    "rank0: BWD_RECV(s0,m0) FWD(s0,m0) FWD_SEND(s0,m0) BWD(s0,m0)\n"
    "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";

}  // namespace steptwin::deadlocks
