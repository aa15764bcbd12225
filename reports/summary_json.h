#pragma once

#include <string>

#include "reports/metrics.h"

namespace steptwin::reports {

// summary.json: every figure, units in the key names, in a fixed order. What is not there is null,
// and so are critical_path, memory_peak_*, model_flops_utilization and tokens_per_second so far.
// Durations are microseconds with up to three decimals, exact; ratios have up to six. Ends with a
// line feed.
std::string summary_json(const Metrics& metrics);

}  // namespace steptwin::reports
