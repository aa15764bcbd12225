#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "standstill/wait_graph.h"

namespace steptwin {

// Indices of the shortest cycle, each waiting for the next and the last for the first; of several
// the one with the lowest item, beginning there. Empty if there is none. An item may wait for
// itself.
std::vector<std::int32_t> shortest_cycle(const WaitGraph& graph);

// The cycle as sentences: who waits for what.
std::string cycle_sentences(const WaitGraph& graph, const std::vector<std::int32_t>& cycle);

// By place in the cycle: the kernel that is waited for there, -1 where it is none.
std::vector<std::int64_t> kernels_awaited(const WaitGraph& graph,
                                          const std::vector<std::int32_t>& cycle);

}  // namespace steptwin
