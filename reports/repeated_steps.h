#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "reports/metrics.h"

namespace steptwin::reports {

// The step times of a repeated real run, without its warm-up. A percentile is the nearest rank:
// the smallest time that so many percent of the steps do not exceed.
struct RepeatedSteps {
  std::size_t steps = 0;
  TimeNs median_ns = 0;
  TimeNs p5_ns = 0;
  TimeNs p95_ns = 0;
  std::size_t median_step = 0;  // which of them took median_ns
};

// At least one step.
RepeatedSteps repeated_steps(std::span<const TimeNs> step_ns);

// summary.json of a repeated run: the figures of the median step, "steps", "step_time_p5_us" and
// "step_time_p95_us".
std::string summary_json(const Metrics& metrics, const RepeatedSteps& steps);

}  // namespace steptwin::reports
