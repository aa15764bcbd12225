#pragma once

#include <string>

#include "reports/advice.h"
#include "reports/metrics.h"

namespace steptwin::reports {

struct TerminalOptions {
  bool color = false;
  int width = 80;
  std::string title;  // above the figures, if there is one
  SettingsOn settings = {};
};

// One screen: the headline figures, each with its window; a table of the ranks, with a bar each
// where the width allows one; the three largest reasons for time without compute; what to try.
// More than 16 ranks are shown as the first ones, quantiles of all, and the ones with the largest
// bubble.
std::string terminal_summary(const Metrics& metrics, const TerminalOptions& options);

}  // namespace steptwin::reports
