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
//   BATCH_SEND_RECV                  one p2p kernel for each peer
//   OVERLAP_B_F, OVERLAP_F_B         forward on main, backward on a thread of its own
//   FSDP_UNSHARD                     all-gather; the stage's next compute waits for it
//   FSDP_RESHARD                     frees what it gathered
//   FSDP_REDUCE_GRAD                 record on compute, wait on the fsdp stream, reduce-scatter
//   SWAP_LAUNCH_OFFLOAD, ..._LOAD    record on compute, wait on copy, copy
//   SWAP_WAIT_OFFLOAD, ..._LOAD      compute waits for the copy
//   DATA_LOAD                        of the first stage: host work and a copy, which FWD waits for
//   DATA_SEND, DATA_RECV             a p2p kernel that the host waits for
//
// With `overlap_p2p = false` compute waits for every transfer right after its launch. At the end
// of the list compute waits for all outstanding communication.
//
// Rank r * P + p of the Program is peer p of pipeline rank r, where P = simulated_peers(scenario)
// is E, or 1 if the peers are folded: then collectives among them have a communicator of one rank.
// Throws Error for a schedule whose steps do not fit its stage map.
Program lower(const Schedule& schedule, const Scenario& scenario);

}  // namespace steptwin
