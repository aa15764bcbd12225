#pragma once

#include "model/machine.h"

namespace steptwin::hw {

// What host threads pay: launch and event from chains (chain.h), rendezvous and wake from pairs of
// threads, fork and resume from one thread starting another and going on.
void measure_host_costs(Machine& machine, int rounds);

}  // namespace steptwin::hw
