#pragma once

#include "model/machine.h"

namespace steptwin::hw {

// Products against their size, and what kernels that run at the same time take from each other.
// Says in machine.noise if the same product does not take the same time.
void measure_compute(Machine& machine, int rounds);

}  // namespace steptwin::hw
