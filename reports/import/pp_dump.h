#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/units.h"
#include "reports/intervals.h"

namespace steptwin::reports {

// A recorded pipeline run, as Primus writes it: a folder with
//
//   config.json      {"pp_size": 8, "vp_size": 1, "num_mbs": 16, ...}, other members ignored
//   pp_rank_N.json   {"1": {"total": ms, "memory": GB, "fwd_start": [ms, ...], "fwd_end": [...],
//                           "bwd_start": [...], "bwd_end": [...]}, "2": ...}
//
// one file a pipeline rank and in it one object an iteration, numbered from 1; the arrays have one
// entry a micro-batch, from 0. Every rank counts from a zero of its own, near the beginning of its
// iteration; `total` is how long the whole iteration took on it. `memory` is what its allocator had
// reserved at most, in GB. Times are rounded to nanoseconds.

struct PpRank {
  std::vector<Interval> forward;  // by micro-batch
  std::vector<Interval> backward;
  TimeNs total_ns = 0;
  std::optional<double> memory_gb;
};

struct PpIteration {
  std::int32_t number = 0;
  std::vector<PpRank> ranks;
};

struct PpDump {
  std::string folder;
  std::int32_t ranks = 0;
  std::int32_t micro_batches = 0;
  std::vector<PpIteration> iterations;  // ascending; at least one
};

// Whether the folder looks like such a run: has a config.json and a pp_rank_0.json.
bool is_pp_dump(const std::string& folder);

// Throws Error, with file, line and column, if something is wrong: no JSON, a member of an
// iteration that is unknown, missing or there twice, an array of another length, an operation that
// ends before it starts or after the total, ranks with other iterations than rank 0, a rank whose
// file is missing or one too many, interleaved chunks (vp_size above 1).
PpDump read_pp_dump(const std::string& folder);

// The text of a pp_rank_N.json: every iteration's number and what the rank did in it. Throws Error,
// as read_pp_dump, where this file alone is wrong.
std::vector<std::pair<std::int32_t, PpRank>> read_pp_rank(std::string_view text,
                                                          const std::string& file,
                                                          std::int32_t micro_batches);

std::string pp_rank_file(const std::string& folder, std::int32_t rank);

// How long the iteration took: the longest total of a rank.
TimeNs step_time_ns(const PpIteration& iteration);

// For how long the rank computed: the measure of the union of its operations.
TimeNs compute_ns(const PpRank& rank);

// (T - |C|) / T with the step time T and the rank's computing C. Nothing where T is 0.
std::optional<double> bubble_ratio(const PpIteration& iteration, std::int32_t rank);
std::optional<double> mean_bubble_ratio(const PpIteration& iteration);

}  // namespace steptwin::reports
