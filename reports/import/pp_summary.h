#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/units.h"
#include "reports/import/pp_dump.h"

namespace steptwin::reports {

// A recorded pipeline run in figures, over the iterations after the warm-up. Percentiles are of
// nearest rank (reports/latency.h); a ratio without a base is nothing.

struct PpRankSummary {
  std::int32_t rank = 0;
  TimeNs forward_ns = 0;               // median of one forward
  TimeNs backward_ns = 0;              // and of one backward
  TimeNs compute_ns = 0;               // median, over iterations, of all of them together
  std::optional<double> bubble_ratio;  // median over iterations
  std::optional<double> memory_gb;     // the largest
};

struct PpIterationSummary {
  std::int32_t number = 0;
  TimeNs step_ns = 0;
  std::optional<double> bubble_ratio;  // mean over ranks
};

struct PpSummary {
  std::string folder;
  std::int32_t micro_batches = 0;
  std::int32_t warmup = 0;
  TimeNs step_p50_ns = 0;
  TimeNs step_p5_ns = 0;
  TimeNs step_p95_ns = 0;
  std::optional<double> bubble_ratio;  // median over iterations of the mean over ranks
  // (R - 1) / (M + R - 1): what it would be if all operations of a kind took as long, and hops none
  double uniform_bubble_ratio = 0;
  std::vector<PpIterationSummary> iterations;
  std::vector<PpRankSummary> ranks;
};

// How many iterations are left out where nobody says: two, but never all.
std::int32_t default_warmup(const PpDump& dump);

// As require_iterations.
PpSummary summary_of(const PpDump& dump, std::int32_t warmup);

// Throws Error if so many iterations of warm-up leave nothing.
void require_iterations(const PpDump& dump, std::int32_t warmup);

}  // namespace steptwin::reports
