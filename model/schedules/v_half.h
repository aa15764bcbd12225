#pragma once

#include <cstdint>

#include "model/schedule.h"

namespace steptwin {

// V-Half and V-Min of Qi et al., "Pipeline Parallelism with Controllable Memory" (2024): V
// schedules that hold about a half and a third of the activations that 1F1B holds, and have about a
// half and two thirds of its bubble.
//
//              most live on a rank,   (what 1F1B holds: R)
//              in micro-batches
//   v_half     (R + 2) / 2, rounded down
//   v_min      (R + 4) / 3, rounded down
//
// A micro-batch is two forwards on a rank, one of each of its stages; it is live from a forward to
// its BWD_WEIGHT. With fewer micro-batches than that, all of them are.
//
// The paper gives a building block, the cells in which each rank passes one micro-batch; every
// other micro-batch repeats it six cells later, and the distances in the block decide how long
// activations live. Then both ends of the step are compacted (v_compact.h), twice: with
// BWD_WEIGHTs where they are and once more without them, filling them in last. The order depends
// on R and M alone; costs do not enter.
//
//   v_half     forward down 2r, up 3R-2-r;  backward up 3R-1+2r+d, down 6R-2-r+d;  d = 3 if R is
//   even v_min      forward down r,  up 2R-1-r;  backward up 2R+r+d,    down 4R-1-r+d;  d = 2 if 3
//   divides R
//
// d keeps two passes of a rank from falling into one cell, modulo 6.
//
// Compute steps only, v map. Time and memory grow with R (R + M); at most kMostCellRanks ranks.
// Throws Error beyond it, or if there is no rank or no micro-batch.
Schedule v_half(std::int32_t ranks, std::int32_t micro_batches);
Schedule v_min(std::int32_t ranks, std::int32_t micro_batches);

}  // namespace steptwin
