#pragma once

#include "model/machine.h"

namespace steptwin::hw {

// What host threads pay: launch and event from chains (chain.h), rendezvous and wake from pairs of
// threads, fork from one thread starting another.
void measure_host_costs(Machine& machine, int rounds);

}  // namespace steptwin::hw
