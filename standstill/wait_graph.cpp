#include "standstill/wait_graph.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

#include "standstill/describe.h"

namespace steptwin {
namespace {

// Finds the item of a stream or thread, and where something that has yet to happen stands.
class Finder {
 public:
  Finder(const Standstill& standstill, const std::vector<BlockedItem>& items)
      : standstill_(standstill), program_(*standstill.program) {
    for (const StoppedRank& rank : standstill.ranks) {
      item_of_thread_.emplace_back(rank.threads.size(), -1);
      item_of_stream_.emplace_back(rank.streams.size(), -1);
    }
    for (std::size_t item = 0; item < items.size(); ++item) {
      auto& table = items[item].is_thread ? item_of_thread_ : item_of_stream_;
      table[static_cast<std::size_t>(items[item].rank)]
           [static_cast<std::size_t>(items[item].index)] = static_cast<std::int32_t>(item);
    }
  }

  std::int32_t stream_item(std::int32_t rank, std::int32_t stream) const {
    return item_of_stream_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(stream)];
  }

  // An unborn thread cannot go on before main forks it.
  std::int32_t thread_item(std::int32_t rank, std::int32_t number) const {
    const bool unborn = standstill_.thread(rank, number).stop == ThreadStop::unborn;
    return item_of_thread_[static_cast<std::size_t>(rank)]
                          [static_cast<std::size_t>(unborn ? 0 : number)];
  }

  // The number of the thread of the rank that has yet to perform a command for which
  // wanted(command) holds, or -1.
  template <typename Wanted>
  std::int32_t thread_to(std::int32_t rank, Wanted&& wanted) const {
    const auto count = standstill_.ranks[static_cast<std::size_t>(rank)].threads.size();
    for (std::size_t index = 0; index < count; ++index) {
      const auto number = static_cast<std::int32_t>(index);
      const StoppedThread& thread = standstill_.thread(rank, number);
      if (thread.stop == ThreadStop::ended) continue;
      const std::vector<Command>& commands = standstill_.commands(rank, number);
      if (std::any_of(commands.begin() + thread.position, commands.end(), wanted)) return number;
    }
    return -1;
  }

  // The first kernel of the rank that has not met its partner and for which wanted(kernel) holds:
  // queued on a stream, or still to be launched by a thread. `call`: in words, if there is none.
  template <typename Wanted>
  WaitEdge kernel_to_come(std::int32_t rank, const std::string& call, Wanted&& wanted) const {
    const auto streams = program_.ranks[static_cast<std::size_t>(rank)].streams.size();
    for (std::size_t index = 0; index < streams; ++index) {
      const auto local = static_cast<std::int32_t>(index);
      const StoppedStream& stream = standstill_.stream(rank, local);
      const auto appended = static_cast<std::int32_t>(stream.entries.size());
      // A kernel at the head has arrived.
      for (std::int32_t place = stream.passed; place < appended; ++place) {
        const std::int32_t kernel = stream.entries[static_cast<std::size_t>(place)];
        if (kernel < 0 || place == stream.passed) continue;
        if (!wanted(program_.kernels[static_cast<std::size_t>(kernel)])) continue;
        return queued_edge(rank, local, kernel);
      }
    }
    std::int64_t found = -1;
    const std::int32_t thread = thread_to(rank, [&](const Command& command) {
      if (command.type != CommandType::launch) return false;
      if (!wanted(program_.kernels[static_cast<std::size_t>(command.kernel)])) return false;
      found = command.kernel;
      return true;
    });
    if (thread < 0) return {-1, fmt::format("{} that rank {} never launches", call, rank)};
    return {thread_item(rank, thread),
            fmt::format("{}, which thread {} of rank {} has not launched",
                        kernel_text(program_, found), thread_name(program_, rank, thread), rank),
            found};
  }

 private:
  // What stands on a stream, but not at its head.
  WaitEdge queued_edge(std::int32_t rank, std::int32_t index, std::int64_t kernel) const {
    const StoppedStream& stream = standstill_.stream(rank, index);
    const std::int64_t head = stream.entries[static_cast<std::size_t>(stream.passed)];
    const std::string place =
        fmt::format("stream {} of rank {}", stream_name(program_, rank, index), rank);
    const std::string text = kernel_text(program_, kernel);
    if (head < 0) {
      return {stream_item(rank, index), fmt::format("{}, which {} has not come to", text, place),
              kernel};
    }
    return {stream_item(rank, index),
            fmt::format("{}, which is queued behind {} on {}", text, kernel_text(program_, head),
                        place),
            kernel};
  }

  const Standstill& standstill_;
  const Program& program_;
  std::vector<std::vector<std::int32_t>> item_of_stream_;  // by rank
  std::vector<std::vector<std::int32_t>> item_of_thread_;
};

WaitEdge event_edge(const Standstill& standstill, const Finder& finder, std::int32_t rank,
                    std::int32_t event) {
  const Program& program = *standstill.program;
  const EventPlace& place =
      standstill.ranks[static_cast<std::size_t>(rank)].events[static_cast<std::size_t>(event)];
  if (place.stream >= 0) {
    const StoppedStream& stream = standstill.stream(rank, place.stream);
    const std::int64_t last = stream.entries[static_cast<std::size_t>(place.covered) - 1];
    const std::string what = last >= 0 ? kernel_text(program, last) : "what is queued";
    return {finder.stream_item(rank, place.stream),
            fmt::format("{} on stream {} of rank {}", what,
                        stream_name(program, rank, place.stream), rank),
            last >= 0 ? last : -1};
  }
  const std::int32_t thread = finder.thread_to(rank, [event](const Command& command) {
    return command.type == CommandType::record && command.index == event;
  });
  assert(thread >= 0);  // validate() has seen that every event is recorded
  return {finder.thread_item(rank, thread),
          fmt::format("an event that thread {} of rank {} has not recorded",
                      thread_name(program, rank, thread), rank)};
}

std::vector<WaitEdge> p2p_edges(const Standstill& standstill, const Finder& finder,
                                const Kernel& kernel) {
  std::vector<WaitEdge> edges;
  const Program& program = *standstill.program;
  std::vector<std::pair<std::int32_t, bool>> asked;
  for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) {
    const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(kernel.first_part + offset)];
    if (is_eager(program, part) || !part_waits(standstill, kernel, part)) continue;
    const std::pair<std::int32_t, bool> question(part.peer, part.is_send);
    if (std::find(asked.begin(), asked.end(), question) != asked.end()) continue;
    asked.push_back(question);
    const std::string call =
        fmt::format("a {} rank {}", part.is_send ? "receive from" : "send to", kernel.rank);
    edges.push_back(finder.kernel_to_come(part.peer, call, [&](const Kernel& other) {
      if (other.kind != KernelKind::p2p || other.communicator != kernel.communicator) return false;
      for (std::int32_t at = 0; at < other.part_count; ++at) {
        const P2pPart& end = program.p2p_parts[static_cast<std::size_t>(other.first_part + at)];
        if (end.peer == kernel.rank && end.is_send != part.is_send) return true;
      }
      return false;
    }));
  }
  return edges;
}

std::vector<WaitEdge> collective_edges(const Standstill& standstill, const Finder& finder,
                                       const Kernel& kernel) {
  std::vector<WaitEdge> edges;
  const Communicator& communicator =
      standstill.program->communicators[static_cast<std::size_t>(kernel.communicator)];
  const std::string call = fmt::format("a collective on communicator {}", communicator.name);
  for (const std::int32_t member : communicator.ranks) {
    if (member == kernel.rank || has_arrived(standstill, kernel, member)) continue;
    edges.push_back(finder.kernel_to_come(member, call, [&kernel](const Kernel& other) {
      return is_collective(other.kind) && other.communicator == kernel.communicator;
    }));
  }
  return edges;
}

std::vector<WaitEdge> stream_edges(const Standstill& standstill, const Finder& finder,
                                   const BlockedItem& item) {
  const StoppedStream& stream = standstill.stream(item.rank, item.index);
  const std::int32_t head = stream.entries[static_cast<std::size_t>(stream.passed)];
  if (head < 0) return {event_edge(standstill, finder, item.rank, ~head)};
  const Kernel& kernel = standstill.program->kernels[static_cast<std::size_t>(head)];
  if (kernel.kind == KernelKind::p2p) return p2p_edges(standstill, finder, kernel);
  if (is_collective(kernel.kind)) return collective_edges(standstill, finder, kernel);
  return {};  // it runs, but does not end
}

// How many there are since the thread last forked another one: since the overlap began.
std::int32_t rendezvous_up_to(const std::vector<Command>& commands, std::size_t end) {
  std::int32_t count = 0;
  for (std::size_t position = 0; position < end; ++position) {
    const CommandType type = commands[position].type;
    if (type == CommandType::fork) count = 0;
    if (type == CommandType::rendezvous) ++count;
  }
  return count;
}

WaitEdge partner_edge(const Standstill& standstill, const Finder& finder, const BlockedItem& item) {
  const StoppedThread& thread = standstill.thread(item.rank, item.index);
  const std::int32_t partner =
      item.index == 0 ? standstill.ranks[static_cast<std::size_t>(item.rank)].forked : 0;
  const std::int32_t partner_item = finder.thread_item(item.rank, partner);
  const std::string name = thread_name(*standstill.program, item.rank, partner);
  const std::string what =
      thread.stop == ThreadStop::in_notify ? "call notify(COMM)" : "come to the rendezvous";
  if (partner_item >= 0) return {partner_item, fmt::format("thread {} to {}", name, what)};
  const std::string step = thread_step(standstill, item.rank, partner);
  const std::vector<Command>& others = standstill.commands(item.rank, partner);
  const std::vector<Command>& own = standstill.commands(item.rank, item.index);
  return {-1, fmt::format("thread {}{} to {}, but that thread has ended after {} rendezvous and "
                          "did not depart; this is number {}",
                          name, step.empty() ? "" : " of " + step, what,
                          rendezvous_up_to(others, others.size()),
                          rendezvous_up_to(own, static_cast<std::size_t>(thread.position) + 1))};
}

std::vector<WaitEdge> thread_edges(const Standstill& standstill, const Finder& finder,
                                   const BlockedItem& item) {
  const StoppedThread& thread = standstill.thread(item.rank, item.index);
  const Command& command =
      standstill.commands(item.rank, item.index)[static_cast<std::size_t>(thread.position)];
  switch (thread.stop) {
    case ThreadStop::in_event:
      return {event_edge(standstill, finder, item.rank, command.index)};
    case ThreadStop::in_join:
      return {{finder.thread_item(item.rank, command.index),
               fmt::format("the end of thread {}",
                           thread_name(*standstill.program, item.rank, command.index))}};
    case ThreadStop::in_barrier:
    case ThreadStop::in_notify:
      return {partner_edge(standstill, finder, item)};
    case ThreadStop::running:
    case ThreadStop::unborn:
    case ThreadStop::ended:
      return {};
  }
  return {};
}

std::vector<BlockedItem> blocked_items(const Standstill& standstill) {
  std::vector<BlockedItem> items;
  for (std::size_t rank_index = 0; rank_index < standstill.ranks.size(); ++rank_index) {
    const auto rank = static_cast<std::int32_t>(rank_index);
    const StoppedRank& stopped = standstill.ranks[rank_index];
    for (std::size_t index = 0; index < stopped.threads.size(); ++index) {
      const StoppedThread& thread = stopped.threads[index];
      if (thread.stop == ThreadStop::ended || thread.stop == ThreadStop::unborn) continue;
      const auto number = static_cast<std::int32_t>(index);
      items.push_back(
          {rank, true, number, -1, thread.position, thread_text(standstill, rank, number)});
    }
    for (std::size_t index = 0; index < stopped.streams.size(); ++index) {
      const StoppedStream& stream = stopped.streams[index];
      if (static_cast<std::size_t>(stream.passed) == stream.entries.size()) continue;
      const std::int64_t head = stream.entries[static_cast<std::size_t>(stream.passed)];
      const auto number = static_cast<std::int32_t>(index);
      items.push_back(
          {rank, false, number, head < 0 ? -1 : head, -1, stream_text(standstill, rank, number)});
    }
  }
  return items;
}

}  // namespace

WaitGraph wait_graph(const Standstill& standstill) {
  WaitGraph graph{blocked_items(standstill), {}, {}};
  const Finder finder(standstill, graph.items);
  for (BlockedItem& item : graph.items) {
    std::vector<WaitEdge> edges = item.is_thread ? thread_edges(standstill, finder, item)
                                                 : stream_edges(standstill, finder, item);
    graph.subjects.push_back(item.text);
    if (!edges.empty()) item.text += ", waiting for " + edges.front().reason;
    if (edges.size() > 1) item.text += fmt::format(", and for {} more", edges.size() - 1);
    graph.edges.push_back(std::move(edges));
  }
  return graph;
}

}  // namespace steptwin
