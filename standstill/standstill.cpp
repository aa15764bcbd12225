#include "standstill/standstill.h"

#include <algorithm>
#include <utility>

#include "standstill/wait_cycle.h"
#include "standstill/wait_graph.h"

namespace steptwin {
namespace {

// The stream of a rank on which kernels of the communicator were appended; on one rank a
// communicator is used from one stream only.
const StoppedStream* stream_of(const Standstill& standstill, std::int32_t rank,
                               std::int32_t communicator) {
  for (const StoppedStream& stream : standstill.ranks[static_cast<std::size_t>(rank)].streams) {
    for (const std::int32_t entry : stream.entries) {
      if (entry < 0) continue;
      const Kernel& kernel = standstill.program->kernels[static_cast<std::size_t>(entry)];
      if (kernel.communicator == communicator && is_communication(kernel.kind)) return &stream;
    }
  }
  return nullptr;
}

// Sums count(kernel) over the kernels of the communicator that the rank has come to, the one at the
// head of the stream included or, `before`, only those ahead of it.
template <typename Count>
std::int64_t come_to(const Standstill& standstill, std::int32_t rank, std::int32_t communicator,
                     bool before, Count&& count) {
  const StoppedStream* stream = stream_of(standstill, rank, communicator);
  if (stream == nullptr) return 0;
  const auto appended = static_cast<std::int32_t>(stream->entries.size());
  const std::int32_t end = before ? stream->passed : std::min(stream->passed + 1, appended);
  std::int64_t total = 0;
  for (std::int32_t position = 0; position < end; ++position) {
    const std::int32_t entry = stream->entries[static_cast<std::size_t>(position)];
    if (entry < 0) continue;
    const Kernel& kernel = standstill.program->kernels[static_cast<std::size_t>(entry)];
    if (kernel.communicator == communicator) total += count(kernel);
  }
  return total;
}

// How many of the kernel's parts, of the first `limit`, go to or come from the peer.
std::int64_t parts_with(const Program& program, const Kernel& kernel, bool is_send,
                        std::int32_t peer, std::int64_t limit) {
  std::int64_t count = 0;
  for (std::int64_t offset = 0; offset < std::min<std::int64_t>(limit, kernel.part_count);
       ++offset) {
    const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(kernel.first_part + offset)];
    if (part.is_send == is_send && part.peer == peer) ++count;
  }
  return count;
}

std::int32_t first_item(const WaitGraph& graph, const std::vector<std::int32_t>& cycle) {
  if (!cycle.empty()) return cycle.front();
  for (std::size_t item = 0; item < graph.edges.size(); ++item) {
    const auto nobody = [](const WaitEdge& edge) { return edge.target < 0; };
    if (std::any_of(graph.edges[item].begin(), graph.edges[item].end(), nobody)) {
      return static_cast<std::int32_t>(item);
    }
  }
  return 0;
}

}  // namespace

bool part_waits(const Standstill& standstill, const Kernel& kernel, const P2pPart& part) {
  const Program& program = *standstill.program;
  if (is_eager(program, part)) return false;
  const auto index = &part - &program.p2p_parts[static_cast<std::size_t>(kernel.first_part)];
  const auto of_kernel = [&](bool is_send, std::int32_t peer) {
    return [&program, is_send, peer](const Kernel& each) {
      return parts_with(program, each, is_send, peer, each.part_count);
    };
  };
  const std::int64_t ahead = come_to(standstill, kernel.rank, kernel.communicator, true,
                                     of_kernel(part.is_send, part.peer)) +
                             parts_with(program, kernel, part.is_send, part.peer, index);
  const std::int64_t come = come_to(standstill, part.peer, kernel.communicator, false,
                                    of_kernel(!part.is_send, kernel.rank));
  return come <= ahead;
}

bool has_arrived(const Standstill& standstill, const Kernel& kernel, std::int32_t member) {
  const auto calls = [](const Kernel& each) { return is_collective(each.kind) ? 1 : 0; };
  return come_to(standstill, member, kernel.communicator, false, calls) >
         come_to(standstill, kernel.rank, kernel.communicator, true, calls);
}

Deadlock explain(const Standstill& standstill) {
  WaitGraph graph = wait_graph(standstill);
  Deadlock deadlock;
  deadlock.cycle = shortest_cycle(graph);
  deadlock.first = first_item(graph, deadlock.cycle);
  deadlock.cycle_text = cycle_sentences(graph, deadlock.cycle);
  deadlock.awaited = kernels_awaited(graph, deadlock.cycle);
  deadlock.blocked = std::move(graph.items);
  return deadlock;
}

}  // namespace steptwin
