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

// One screen: the headline figures, each with its window; a table of the ranks (rank_table.h); the
// three largest reasons for time without compute, unless they round to 0 %; what to try. No line is
// longer than the width, for which 40 columns are the least.
std::string terminal_summary(const Metrics& metrics, const TerminalOptions& options);

}  // namespace steptwin::reports
