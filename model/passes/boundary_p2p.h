#pragma once

#include "model/schedule.h"

namespace steptwin {

// Hands the transfers that follow an OVERLAP_B_F to the overlap itself, which issues them on the
// forward thread as soon as its forward is launched, before the backward has ended. Of the run of
// P2P steps directly behind the overlap it takes
//
//   the FWD_SEND of the overlap's own forward, then all receives, in their order
//
// and leaves the rest (gradients that the backward must compute first) behind it, in its order.
//
// What can go wrong: transfers are moved over each other on one rank and not on its neighbour. With
// one in-order queue for a pair of ranks both can then wait in a receive; each direction needs a
// queue of its own. With two ranks that hold several chunks each, forward and backward traffic
// share a direction, and a receive would take the other's data: such schedules are refused where
// the transport is chosen (model/scenario_schedule.h).
Schedule attach_boundary_p2p(const Schedule& schedule);

}  // namespace steptwin
