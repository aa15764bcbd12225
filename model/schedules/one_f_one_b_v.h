#pragma once

#include <cstdint>

#include "model/schedule.h"

namespace steptwin {

// 1F1B-V of Qi et al., "Pipeline Parallelism with Controllable Memory" (2024): 1F1B on the V map,
// with whole backwards. A rank holds two thirds of what it would hold with 1F1B:
//
//   floor(2R/3) + 1 micro-batches of activations, that is twice as many forwards of its two stages
//
// A building block is repeated every six cells (v_cells.h): forwards down and up the V one cell
// after the other, then backwards up and down, two cells each. Between every three backwards and
// the next three, one group beginning with the last backward of the way up, three cells are
// skipped: without them two passes of a rank would fall into one cell, modulo 6. Then everything
// moves to the left, in the order of the cells: into the first free cells after its input and the
// pass of its kind before it, a forward only as far as no rank holds more than before. A backward
// moves by two cells at least.
//
// Compute steps only, v map. Time and memory grow with R (R + M); at most kMostCellRanks ranks.
// Throws Error beyond it, or if there is no rank or no micro-batch.
Schedule one_f_one_b_v(std::int32_t ranks, std::int32_t micro_batches);

}  // namespace steptwin
