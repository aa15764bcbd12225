#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/metrics.h"
#include "reports/repeated_steps.h"

namespace steptwin::reports {

// What a real run was, besides the figures of its median step.
struct MeasuredRun {
  RepeatedSteps steps;
  std::string machine;  // "this machine's CPU"
  std::string kernels;  // real, timed
};

// summary.json of a real run: the figures of the median step, "steps",
// "step_time_p5_us", "step_time_p95_us", "measured_on" and "kernel_mode".
std::string summary_json(const Metrics& metrics, const MeasuredRun& run);

// The same read back from the text of a summary.json; none if it is of a simulation. Throws Error
// where it is no JSON.
std::optional<MeasuredRun> read_measured_run(std::string_view summary, const std::string& file);

}  // namespace steptwin::reports
