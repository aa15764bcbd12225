#pragma once

#include <cstdint>
#include <vector>

#include "model/schedules/v_cells.h"

namespace steptwin {

// The repeated building block leaves cells free at both ends of a step, where micro-batches before
// the first and after the last would run. These functions move work there, in the order of the
// cells and without more of it being live on a rank than before: what is live is a forward without
// its BWD_WEIGHT. Three phases of the sweep over all ranks:
//
//   warm-up    until rank 0 runs its first backward of stage 0
//   steady     until the last micro-batch enters: stays where it is
//   cool-down  the rest
//
// Each pass goes into the first free cell after its input and the pass of its kind before it that
// keeps to the limit.

// The most that is live on any rank.
std::int32_t most_live(const std::vector<VCells>& ranks);

// Warm-up and cool-down, BWD_WEIGHTs included: the k-th comes after the k-th backward.
std::vector<VCells> with_ends_compacted(const std::vector<VCells>& ranks);

// The cool-down alone; BWD_WEIGHTs are none of the input, they run wherever a cell is free.
std::vector<VCells> with_cool_down_compacted(const std::vector<VCells>& ranks);

}  // namespace steptwin
