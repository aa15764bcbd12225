#pragma once

#include "model/program.h"
#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin {

// Makes the Program of one training step: for each rank host threads, streams, kernels and
// communicators. Costs, streams and host times come from the scenario, the order of work from the
// schedule.
//
//   FWD, BWD, BWD_INPUT, BWD_WEIGHT  the chunk's kernels (lowering/chunk.h)
//   FWD_SEND, BWD_SEND               record on compute, wait on the p2p stream, launch
//   FWD_RECV, BWD_RECV               launch; whoever consumes the tensor waits for it
//   OVERLAP_B_F, OVERLAP_F_B         forward on main, backward on a thread of its own
//
// With `overlap_p2p = false` compute waits for every transfer right after its launch. At the end
// of the list compute waits for all outstanding communication.
//
// Expert-parallel peers are folded: one world rank for each pipeline rank, collectives among the
// peers on a communicator of one rank. Throws Error for a step type or option that has no
// lowering, and for a schedule whose steps do not fit its stage map.
Program lower(const Schedule& schedule, const Scenario& scenario);

}  // namespace steptwin
