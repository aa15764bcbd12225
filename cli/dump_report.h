#pragma once

#include <cstddef>
#include <string>

#include "reports/import/pp_summary.h"

namespace steptwin::cli {

// A recorded pipeline run in a few figures and a table of its ranks; no line is longer than
// `width`, of which 40 columns are the least.
std::string dump_text(const reports::PpSummary& summary, std::size_t width, bool color);

// {"folder", "micro_batches", "warmup", "step_time_us": {"p50", "p5", "p95"}, "bubble_ratio",
//  "uniform_bubble_ratio", "iterations": [{"iteration", "step_time_us", "bubble_ratio"}, ...],
//  "ranks": [{"rank", "forward_us", "backward_us", "compute_us", "bubble_ratio",
//             "memory_reserved_gb"}, ...]}
std::string dump_json(const reports::PpSummary& summary);

}  // namespace steptwin::cli
