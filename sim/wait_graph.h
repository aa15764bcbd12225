#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/simulate.h"
#include "sim/state.h"

namespace steptwin::sim {

// What one blocked item waits for: another one (index into items), or nobody who could bring it.
struct WaitEdge {
  std::int32_t target = -1;
  std::string reason;  // "for rank 1 to receive it: FWD_RECV(s1,m0) stands behind ..."
};

struct WaitGraph {
  std::vector<BlockedItem> items;
  std::vector<std::vector<WaitEdge>> edges;  // by item
};

WaitGraph wait_graph(const State& state);

// Indices of the shortest cycle through the lowest item that is on one; empty if there is none.
std::vector<std::int32_t> shortest_cycle(const WaitGraph& graph);

}  // namespace steptwin::sim
