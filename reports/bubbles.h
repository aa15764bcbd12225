#pragma once

#include <cstdint>

#include "reports/intervals.h"
#include "reports/trace_index.h"

namespace steptwin::reports {

// A rank's gaps (the window without C) cut by phase:
//
//   [window begin, first backward's start)  warm-up, with the lead before the first kernel
//   [first backward's start, last forward's end)  steady; empty where all forwards come first
//   the rest                                drain, with the tail after the last kernel
//
// A backward here is a compute kernel of direction backward or backward_input. A rank without one
// is in warm-up throughout.
struct PhaseGaps {
  TimeNs warmup_ns = 0;
  TimeNs steady_ns = 0;
  TimeNs drain_ns = 0;
};
PhaseGaps phase_gaps_of(const TraceIndex& index, std::int32_t rank, const IntervalSet& gaps);

// The rank's own window: first start of compute to last end of compute.
TimeNs compute_span_ns(const IntervalSet& compute);

}  // namespace steptwin::reports
