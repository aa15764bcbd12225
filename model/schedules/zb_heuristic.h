#pragma once

#include <cstdint>

#include "model/schedule.h"
#include "model/schedules/zb_costs.h"

namespace steptwin {

// The zero-bubble order found for given costs and memory, after the greedy of Qi et al., "Zero
// Bubble Pipeline Parallelism" (2024): eight greedy orders (zb_greedy.h) are timed, and the one
// whose longest rank is shortest is taken. A rank's length, its span, is last end - first start:
// an optimizer step that does not wait for the other ranks sees only this. The first best order
// wins, tried as follows, the last choice changing fastest:
//   bubble before the first backward: yes, no
//   backward first:                   yes, no
//   fill every gap:                   yes, no
//
// memory_limit is what a rank may hold, in micro-batches of activations; 0 stands for no limit. It
// is counted in halves: a forward takes two, BWD_INPUT frees one and BWD_WEIGHT the other, so that
// the micro-batches between their forward and their BWD_WEIGHT may outnumber the limit, though
// their memory never exceeds it. The paper's ZB-1p has limit R, ZB-2p limit 2R.
//
// All arithmetic is in whole nanoseconds, so equal times compare equal. (The published program
// adds binary fractions; where a cost such as 0.1 makes its ties come out one way or the other,
// its orders differ from these and are never shorter in the cases recorded in our tests.)
//
// Compute steps only, loop map, R = number of stages given, one a rank. Takes O(R M) time. Throws
// Error if there is no stage or no micro-batch, if a limit below one micro-batch is given, or if a
// duration is negative.
Schedule zb_heuristic(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                      double memory_limit = 0);

}  // namespace steptwin
