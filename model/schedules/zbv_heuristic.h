#pragma once

#include <cstdint>

#include "model/schedule.h"
#include "model/schedules/zb_heuristic.h"

namespace steptwin {

// The zero-bubble order found on the V map for given costs and memory, after the published program
// of Qi et al. (2024): four greedy orders (zbv_greedy.h) are timed, and the one whose longest rank
// is shortest is taken, the first of equals:
//   fill before a backward up: yes, no
//   fill before a forward:     yes, no          the last choice changing fastest
// Each of them is tried again with the bubbles of the attempt before granted, as long as the
// largest bubble shrinks.
//
// A rank's length, its span, is last end - first start. The order with the shortest span may have a
// longer step than another one. Times are whole nanoseconds and ties are ties: where a cost such as
// 0.1 makes the published program break them by rounding, it finds other orders.
//
// memory_limit is what a rank may hold, in micro-batches of activations of its two stages, as for
// zb_heuristic; 0 stands for R, as much as 1F1B and zbv hold. Less cannot be: the warm-up ends with
// R micro-batches on the last rank. More may be no use: where no greedy order comes to an end with
// it, R is taken.
//
// Compute steps only, v map. costs: one value for each of 2 R stages. Takes O(R M) time. Throws
// Error if there is no stage or no micro-batch, if a limit below R is given, or if a
// duration is negative or missing.
Schedule zbv_heuristic(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                       double memory_limit = 0);

}  // namespace steptwin
