#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/metrics.h"

namespace steptwin::reports {

struct RankTableOptions {
  bool color = false;
  std::size_t width = 80;
};

// A line per rank: compute, of it overlapped, exposed communication, idle, bubble, activations in
// flight, and a bar of the window as long as the width leaves room for. Where the width is short of
// the columns, those that others imply go first; rank, compute and bubble stay. More than 16 ranks:
// the first ones, the median and 90th percentile of each column, and those of the others whose
// bubble is largest, if it exceeds the median.
std::string rank_table(const Metrics& metrics, const RankTableOptions& options);

// `cells` given to parts in proportion, by largest remainder (at a tie the earlier part), so that
// none is lost. All zero if the parts are.
std::vector<std::size_t> apportioned(const std::vector<TimeNs>& parts, std::size_t cells);

}  // namespace steptwin::reports
