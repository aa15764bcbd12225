#pragma once

#include "model/contention.h"
#include "model/scenario.h"

namespace steptwin {

// What [contention] asks for, with what it needs of [network]: where the ranks are, and latencies.
//
// Pipeline rank r stands for its E peers, devices r*E .. r*E+E-1, and a node has D of them. A rank
// that does not lie on one node has links of its own: its transfers all cross nodes, as costs.h
// says. Peers that are ranks of their own have the links of their pipeline rank, and each its own
// share of the cores of the node it is on.
Contention contention_of(const Scenario& scenario);

}  // namespace steptwin
