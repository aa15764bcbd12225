#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reports/trace_index.h"

namespace steptwin::reports {

// How long each micro-batch is on its way: first forward start at its first stage to last backward
// end there (BWD_WEIGHT included), on each rank that holds the stage. The first stage is 0 but for
// the micro-batches of a second copy of the model. Ascending.
std::vector<TimeNs> micro_batch_latencies(const TraceIndex& index);

// Nearest rank: the smallest value that at least `percent` of all values do not exceed. Nothing if
// there is none. Values must ascend.
std::optional<TimeNs> percentile(const std::vector<TimeNs>& ascending, std::int32_t percent);

}  // namespace steptwin::reports
