#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/metrics.h"

namespace steptwin::reports {

// What to try, from rules on where the time goes; what costs most first. A rule speaks only if its
// cause takes at least 1 % of the ranks' time.
//
//   dependency and end, mostly outside the steady phase   more micro-batches, interleaving,
//                                                         zero bubble
//   dependency, mostly in the steady phase                balance the stages, or warm up deeper
//   stage balance above 1.05                              move layers
//   order, in a rendezvous                                overlap stages of the same layers
//   order, mostly collectives behind transfers            streams per group, then late receives
//   order, the rest                                       streams per edge, then late receives;
//                                                         where they are apart, order by data
//   transfer, exposed collectives                         overlap with hooks
//   transfer, the rest                                    overlap or shrink the transfers
//   host                                                  fewer launches
std::vector<std::string> advice(const Metrics& metrics, std::size_t most);

}  // namespace steptwin::reports
