#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reports/trace_index.h"

namespace steptwin::reports {

// How long each micro-batch is on its way: first forward start at stage 0 to last backward end at
// stage 0 (BWD_WEIGHT included), on each rank that holds stage 0. Ascending.
std::vector<TimeNs> micro_batch_latencies(const TraceIndex& index);

// Nearest rank: the smallest value that at least `percent` of all values do not exceed. Nothing if
// there is none. Values must ascend.
std::optional<TimeNs> percentile(const std::vector<TimeNs>& ascending, std::int32_t percent);

}  // namespace steptwin::reports
