#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/step.h"
#include "model/units.h"
#include "reports/import/pp_dump.h"

namespace steptwin::compare {

// How well a recorded run is explained by what it is made of. Every iteration is simulated with the
// durations that its operations had, in three ways:
//
//   dependencies  operations wait for their inputs and for their rank, and for nothing else
//   fitted        and every hop takes as long as lets the run's median error vanish
//   measured      and hops, and gaps between a rank's operations, take as long as the dump itself
//                 says they do (reports/import/pp_trace.h): nothing is fitted
//
// The step time does not shrink when a hop gets longer, so neither does the median of the errors:
// the fitted hop is the least whole microsecond at which it is not below 0. The median, for it asks
// nothing of the few iterations in which something else went wrong; 0 if it is not below 0 without
// any hop.
//
// A median of an even number of values is the mean of the two in the middle.

struct ReplayedIteration {
  std::int32_t number = 0;
  TimeNs measured_ns = 0;
  TimeNs dependencies_ns = 0;
  TimeNs fitted_ns = 0;
  TimeNs explained_ns = 0;  // with measured hops and gaps
  TimeNs slow_cost_ns = 0;  // of all slow operations of the iteration together
};

// An operation that took at least half as long again as is usual for it: as the median of all
// operations of its rank and direction. What it cost is by how much the step, with the fitted hop,
// would be shorter with it as usual; the rest of its excess the slack around it has absorbed. Two
// slow operations beside each other may each cost nothing and both together something.
struct SlowOperation {
  std::int32_t iteration = 0;
  std::int32_t rank = 0;
  std::int32_t micro = 0;
  bool is_forward = true;
  TimeNs duration_ns = 0;
  TimeNs usual_ns = 0;
  TimeNs cost_ns = 0;
  TimeNs step_without_ns = 0;

  TimeNs absorbed_ns() const { return duration_ns - usual_ns - cost_ns; }
};

struct Replay {
  std::string folder;
  std::int32_t ranks = 0;
  std::int32_t micro_batches = 0;
  std::int32_t warmup = 0;  // iterations that were left out before the first
  std::vector<ReplayedIteration> iterations;
  TimeNs fitted_hop_ns = 0;
  std::optional<TimeNs> measured_hop_ns;  // nothing: taken as 0
  std::optional<TimeNs> measured_gap_ns;
  std::vector<SlowOperation> slow;  // by iteration, rank, direction and micro-batch
};

// Throws Error if the order is not that of 1F1B, or if no iteration is left after `warmup` ones.
Replay replay(const reports::PpDump& dump, std::int32_t warmup);

// simulated / measured - 1, and nothing if nothing was measured.
std::optional<double> relative_error(TimeNs simulated_ns, TimeNs measured_ns);

// Over the iterations, of one of the three ways.
using ReplayedStep = TimeNs ReplayedIteration::*;
std::optional<double> median_error(const Replay& replay, ReplayedStep step);
// The iteration that is furthest off. Null if there is none.
const ReplayedIteration* worst_iteration(const Replay& replay, ReplayedStep step);

}  // namespace steptwin::compare
