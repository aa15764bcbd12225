#pragma once

#include "model/machine.h"

namespace steptwin::hw {

// What handing data on takes: transfers and all-to-alls between two ranks against their size, from
// chains (chain.h); copies between two buffers; and by how much a timed kernel ends too late.
void measure_links(Machine& machine, int rounds);

}  // namespace steptwin::hw
