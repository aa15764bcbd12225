#pragma once

#include "model/schedule.h"

namespace steptwin {

// Puts a compute order into columns that add_p2p can scan: bubbles of the input are dropped, and
// the ranks run their lists in unit time. In each tick a rank does its next step if everything the
// step needs was computed in an earlier tick, on whichever rank; otherwise the tick is a bubble.
//
//   FWD(s,m)         needs FWD(s-1,m)
//   BWD(s,m)         needs FWD(s,m) and the backward of (s+1,m): its BWD or BWD_INPUT
//   BWD_INPUT(s,m)   the same
//   BWD_WEIGHT(s,m)  needs BWD_INPUT(s,m)
//
// An overlap takes two ticks, its sub-steps one after the other, and needs the inputs of both
// before the first, since both receives come before it.
//
// Linear in the columns written. Throws Error naming every rank's blocked step and what it waits
// for if the order cannot progress, and if it is not a compute order at all
// (model/passes/compute_only.h).
Schedule align_columns(const Schedule& schedule);

}  // namespace steptwin
