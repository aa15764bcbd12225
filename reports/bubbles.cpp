#include "reports/bubbles.h"

#include <algorithm>
#include <cstddef>

namespace steptwin::reports {

PhaseGaps phase_gaps_of(const TraceIndex& index, std::int32_t rank, const IntervalSet& gaps) {
  const Interval window = index.window();
  TimeNs first_backward = window.end_ns;
  TimeNs last_forward = window.begin_ns;
  for (const std::size_t position : index.kernels_of_rank(rank)) {
    const TraceKernel& kernel = index.kernel(position);
    if (kernel.kind != KernelKind::compute) continue;
    if (kernel.direction == Direction::forward) {
      last_forward = std::max(last_forward, kernel.times.end_ns);
    } else if (kernel.direction == Direction::backward ||
               kernel.direction == Direction::backward_input) {
      first_backward = std::min(first_backward, kernel.times.start_ns);
    }
  }
  const TimeNs drain = std::max(first_backward, last_forward);
  return {gaps.measure_within_ns({window.begin_ns, first_backward}),
          gaps.measure_within_ns({first_backward, drain}),
          gaps.measure_within_ns({drain, window.end_ns})};
}

TimeNs compute_span_ns(const IntervalSet& compute) {
  if (compute.empty()) return 0;
  return compute.intervals().back().end_ns - compute.intervals().front().begin_ns;
}

}  // namespace steptwin::reports
