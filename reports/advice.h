#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/metrics.h"

namespace steptwin::reports {

// What a run makes use of already and need not be told to try. A trace does not say; where nothing
// is known nothing is on.
struct SettingsOn {
  bool interleaved = false;         // several chunks on a rank
  bool zero_bubble = false;         // weight gradients apart
  bool overlap = false;             // a backward with a forward
  bool sequential_overlap = false;  // but the two one after the other
  bool hooks = false;
  bool overlap_p2p = false;
  bool late_receives = false;
  bool order_by_data = false;
};

// What to try, from rules on where the time goes; what costs most first. A rule speaks only if its
// cause takes at least 1 % of the ranks' time, and suggests only what is not on.
//
//   dependency and end, mostly outside the steady phase   more micro-batches, interleaving,
//                                                         zero bubble
//   dependency, mostly in the steady phase                balance the stages, or warm up deeper
//   stage balance above 1.05                              move layers
//   order, in a rendezvous                                overlap stages of the same layers
//   order, mostly collectives behind transfers            streams per group, then late receives
//   order, the rest                                       streams per edge, then late receives;
//                                                         where they are apart, hooks, order by
//                                                         data
//   transfer, of collectives                              overlap with hooks
//   transfer, the rest                                    overlap or shrink the transfers
//   host                                                  fewer launches
std::vector<std::string> advice(const Metrics& metrics, const SettingsOn& on, std::size_t most);

}  // namespace steptwin::reports
