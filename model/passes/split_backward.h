#pragma once

#include "model/schedule.h"

namespace steptwin {

// Splits the backward of overlaps, so that its weight gradients are computed while the gradient it
// passes on travels: of each OVERLAP_B_F whose backward is a BWD(s,m) with s > 0
//
//   OVERLAP_B_F[BWD(s,m)|...]        P2P steps...
//   OVERLAP_B_F[BWD_INPUT(s,m)|...]  P2P steps...  BWD_WEIGHT(s,m)
//
// Stage 0 passes no gradient on: its overlaps stay as they are, and so do backwards alone.
Schedule split_overlapped_backward(const Schedule& schedule);

}  // namespace steptwin
