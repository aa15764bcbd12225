#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "reports/compare.h"

namespace steptwin::reports {

struct CompareTextOptions {
  bool color = false;
  std::size_t width = 80;  // 40 columns are the least
  std::string title;       // above the figures, if there is one
};

// A few figures, each of the prediction against the measurement, then one table of durations by
// part. No line is longer than the width.
std::string compare_text(const Comparison& comparison, const CompareTextOptions& options);

// With a sign, for errors: "+1.2 %", "-0.31 %"; "n/a". Two decimals below 1 %.
std::string signed_percent(std::optional<double> ratio);

}  // namespace steptwin::reports
