#include "model/scenario_program.h"

#include <utility>

#include "model/lowering/lower.h"
#include "model/validate.h"

namespace steptwin {

Program scenario_program(const Schedule& schedule, const Scenario& scenario) {
  Program program = lower(schedule, scenario);
  if (scenario.machine.given) {
    program = calibrated(std::move(program), scenario.machine.machine, scenario.machine.kernels);
  }
  validate(program);
  return program;
}

}  // namespace steptwin
