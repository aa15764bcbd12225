#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/program.h"
#include "model/trace.h"
#include "sim/wait_graph.h"

namespace steptwin::sim {

// Indices of the shortest cycle, each waiting for the next and the last for the first; of several
// the one with the lowest item, beginning there. Empty if there is none. An item may wait for
// itself.
std::vector<std::int32_t> shortest_cycle(const WaitGraph& graph);

// The cycle as sentences: who waits for what, and, where a receive is queued behind a send, which
// exchange of two steps would break it. The earliest such pair, by when the send was queued.
std::string cycle_sentences(const Program& program, const std::vector<KernelTimes>& times,
                            const WaitGraph& graph, const std::vector<std::int32_t>& cycle);

}  // namespace steptwin::sim
