#pragma once

#include "reports/compare.h"
#include "reports/json_figures.h"

namespace steptwin::reports {

// The members of a comparison, into an object that the caller begins and ends:
//
//   "join": "kernel" or "step", "matched", "only_predicted", "only_measured": texts,
//   "step_time": {"predicted_us", "measured_us", "error"},
//   "bubble_ratio", "overlap_ratio": {"predicted", "measured", "difference_points"},
//   "durations": [{"part", "direction", "count", "predicted_us", "measured_us", "median_error",
//                  "p90_error", "measured_at_zero"}, ...],
//   "starts": {"median_us", "p90_us", "worst_us", "worst"},
//   "order": [{"rank", "stream", "pairs", "inversions"}, ...],
//   "ranks": [{"rank", "bubble_ratio": {...}, "overlap_ratio": {...}}, ...]
//
// Errors are ratios, differences percentage points. What is not there is null.
void write_comparison(json::Writer& writer, const Comparison& comparison);

}  // namespace steptwin::reports
