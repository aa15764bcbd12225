#pragma once

#include <string_view>
#include <vector>

#include "model/units.h"

namespace steptwin {

// What the zero-bubble heuristics plan with: one value per stage.
struct ZbHeuristicCosts {
  std::vector<TimeNs> forward_ns;
  std::vector<TimeNs> backward_input_ns;
  std::vector<TimeNs> backward_weight_ns;
  TimeNs p2p_ns = 0;  // one hop: a latency that keeps no stream busy
};

// Throws Error unless there are as many of each as forwards, none of them negative.
void check_costs(std::string_view schedule, const ZbHeuristicCosts& costs);

}  // namespace steptwin
