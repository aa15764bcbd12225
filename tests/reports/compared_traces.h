#pragma once

#include <vector>

#include "reports/intervals.h"
#include "tests/reports/trace_maker.h"

namespace steptwin::reports {

// A prediction and what was measured, in ms:
//
//                     rank 0                     rank 1
//   predicted  F0 0-10  F1 10-20  B0 20-40   F0 10-30   a receive 15-16
//   measured   F0 5-16  F1 16-24  B0 24-44   F0 17-29   a receive 15-19
inline Trace compared_trace(const std::vector<Interval>& computed, Interval received) {
  constexpr TimeNs kMs = 1'000'000;
  TraceMaker maker(2);
  const auto at = [&computed](std::size_t index) {
    return Interval{computed[index].begin_ns * kMs, computed[index].end_ns * kMs};
  };
  maker.compute(0, StepType::fwd, 0, 0, 0, at(0).begin_ns, at(0).end_ns)
      .compute(0, StepType::fwd, 0, 1, 0, at(1).begin_ns, at(1).end_ns)
      .compute(0, StepType::bwd, 0, 0, 0, at(2).begin_ns, at(2).end_ns)
      .p2p(1, StepType::fwd_recv, 1, 0, {0},
           {0, received.begin_ns * kMs, received.begin_ns * kMs, received.end_ns * kMs})
      .compute(1, StepType::fwd, 1, 0, 0, at(3).begin_ns, at(3).end_ns);
  return maker.trace();
}

inline Trace predicted_trace() {
  return compared_trace({{0, 10}, {10, 20}, {20, 40}, {10, 30}}, {15, 16});
}
inline Trace measured_trace() {
  return compared_trace({{5, 16}, {16, 24}, {24, 44}, {17, 29}}, {15, 19});
}

}  // namespace steptwin::reports
