#pragma once

#include "model/program.h"
#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin {

// What is simulated of a scenario: the Program that its schedule is lowered to, as the machine
// would run it that the scenario names, if it names one (model/machine.h). It is valid. Throws
// Error.
Program scenario_program(const Schedule& schedule, const Scenario& scenario);

}  // namespace steptwin
