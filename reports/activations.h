#pragma once

#include <cstdint>
#include <vector>

#include "reports/intervals.h"
#include "reports/trace_index.h"

namespace steptwin::reports {

// How long the activations of one (stage, micro-batch) live on a rank: from the first forward
// kernel's start to the end of the backward that consumes them, which is BWD, or BWD_WEIGHT where
// the backward is split (a part is free already at the end of BWD_INPUT). Without a backward they
// live to the end of the window.
struct ActivationLife {
  Interval whole;
  Interval until_input;  // up to the end of BWD or BWD_INPUT
};
std::vector<std::vector<ActivationLife>> activation_lives(const TraceIndex& index);  // by rank

// How many of the intervals hold an instant, as it changes: entries ascend in time, one an
// instant. What ends at an instant is gone before what begins there.
struct CountChange {
  TimeNs at_ns = 0;
  std::int64_t count = 0;

  friend bool operator==(const CountChange&, const CountChange&) = default;
};
std::vector<CountChange> count_over_time(const std::vector<Interval>& intervals);
std::int64_t most_at_once(const std::vector<Interval>& intervals);

}  // namespace steptwin::reports
