#pragma once

#include <cstddef>
#include <span>

#include "model/units.h"

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

}  // namespace steptwin::reports
