#pragma once

#include <vector>

#include "model/check.h"
#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin {

// Overlaps whose hooks leave a thread waiting for good. In an overlap of threads the hooks of the
// forward and of the backward meet in pairs, always one of the COMM and one of the COMPUTE side
// (tests/model/hooks_test.cpp), so the only thing that can go wrong is their number: with
// overlap.depart = false a forward of more moe layers than its backward waits at the hook for which
// nobody is left, D of the backward's last layer, or A1 if the backward has none.
std::vector<Finding> check_hooks(const Schedule& schedule, const Scenario& scenario);

}  // namespace steptwin
