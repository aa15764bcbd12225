#pragma once

#include "model/schedule.h"

namespace steptwin {

// Lowers a compute order as PyTorch lowers a compute_only schedule to compute_comms:
//
//   1. Bubbles are dropped: what stands in one column no longer matters.
//   2. With `fsdp`, FSDP steps are added (model/passes/fsdp.h), with the window of 3 stages.
//   3. The ranks take turns in ascending order, one step of each in a turn. A step whose input is
//      not computed yet, FWD(s-1,m) for FWD(s,m) and the backward of (s+1,m) for that of (s,m),
//      lets its turn pass, an overlap if either half's is not. A step that feeds another rank
//      appends its send to its own list and the matching receive to the end of the consumer's list
//      as far as that has come:
//
//        rank 0  FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) FWD_SEND(s0,m1) ...
//        rank 1  FWD_RECV(s1,m0) FWD(s1,m0) FWD_RECV(s1,m1) BWD(s1,m0) BWD_SEND(s1,m0) ...
//
// Sends and receives are written in pairs, so the lists are projections of one sequence of
// transfers, which every rank can follow with one in-order queue. Receives come early: as soon as
// the producer has computed, however many steps of the consumer's stand before the one that needs
// them.
//
// Unlike add_p2p there are no columns: a step that waits holds up its own rank only.
//
// Equal to PyTorch's, byte for byte, wherever a rank holds at most 3 stages or has no overlaps;
// with both, PyTorch's window may grow to 4 and it frees stages in the order of a Python set.
//
// Throws Error if the schedule is not a compute order (model/passes/compute_only.h), or naming
// every rank's blocked step if it cannot progress.
Schedule add_torch_comms(const Schedule& schedule, bool fsdp = true);

}  // namespace steptwin
