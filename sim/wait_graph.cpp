#include "sim/wait_graph.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

#include "sim/describe.h"

namespace steptwin::sim {
namespace {

// Finds the item of a stream or thread, and where something that has yet to happen stands.
class Finder {
 public:
  Finder(const State& state, const std::vector<BlockedItem>& items) : state_(state) {
    item_of_stream_.assign(state.streams.size(), -1);
    item_of_thread_.assign(state.threads.size(), -1);
    for (std::size_t item = 0; item < items.size(); ++item) {
      const RankState& rank = state.ranks[static_cast<std::size_t>(items[item].rank)];
      std::vector<std::int32_t>& table = items[item].is_thread ? item_of_thread_ : item_of_stream_;
      const std::int32_t first = items[item].is_thread ? rank.first_thread : rank.first_stream;
      table[static_cast<std::size_t>(first + items[item].index)] = static_cast<std::int32_t>(item);
    }
  }

  std::int32_t stream_item(std::int32_t stream) const {
    return item_of_stream_[static_cast<std::size_t>(stream)];
  }

  // An unborn thread cannot go on before main forks it.
  std::int32_t thread_item(std::int32_t rank, std::int32_t number) const {
    const std::int32_t first = state_.ranks[static_cast<std::size_t>(rank)].first_thread;
    const bool unborn =
        state_.threads[static_cast<std::size_t>(first + number)].phase == ThreadPhase::unborn;
    return item_of_thread_[static_cast<std::size_t>(first + (unborn ? 0 : number))];
  }

  // The number of the thread of the rank that has yet to perform a command for which
  // wanted(command) holds, or -1.
  template <typename Wanted>
  std::int32_t thread_to(std::int32_t rank, Wanted&& wanted) const {
    const RankState& rank_state = state_.ranks[static_cast<std::size_t>(rank)];
    const auto count = state_.program->ranks[static_cast<std::size_t>(rank)].threads.size();
    for (std::size_t number = 0; number < count; ++number) {
      const ThreadState& thread =
          state_.threads[static_cast<std::size_t>(rank_state.first_thread) + number];
      if (thread.phase == ThreadPhase::ended) continue;
      for (std::int32_t position = thread.position; position < thread.count; ++position) {
        if (wanted(thread.commands[position])) return static_cast<std::int32_t>(number);
      }
    }
    return -1;
  }

  // The first kernel of the rank that has not met its partner and for which wanted(kernel) holds:
  // queued on a stream, or still to be launched by a thread. `call`: in words, if there is none.
  template <typename Wanted>
  WaitEdge kernel_to_come(std::int32_t rank, const std::string& call, Wanted&& wanted) const {
    const Program& program = *state_.program;
    const RankState& rank_state = state_.ranks[static_cast<std::size_t>(rank)];
    const auto streams = program.ranks[static_cast<std::size_t>(rank)].streams.size();
    for (std::size_t local = 0; local < streams; ++local) {
      const auto index = static_cast<std::size_t>(rank_state.first_stream) + local;
      const StreamState& stream = state_.streams[index];
      for (std::int64_t entry = stream.passed; entry < stream.appended; ++entry) {
        const std::int64_t kernel =
            state_.entries[static_cast<std::size_t>(stream.first_entry + entry)].kernel;
        if (kernel < 0 || kernel == stream.flight) continue;
        if (!wanted(program.kernels[static_cast<std::size_t>(kernel)])) continue;
        return queued_edge(static_cast<std::int32_t>(index), kernel);
      }
    }
    std::int64_t found = -1;
    const std::int32_t thread = thread_to(rank, [&](const Command& command) {
      if (command.type != CommandType::launch) return false;
      if (!wanted(program.kernels[static_cast<std::size_t>(command.kernel)])) return false;
      found = command.kernel;
      return true;
    });
    if (thread < 0) return {-1, fmt::format("{} that rank {} never launches", call, rank)};
    return {thread_item(rank, thread),
            fmt::format("{}, which thread {} of rank {} has not launched",
                        kernel_text(program, found), thread_name(state_, rank, thread), rank),
            found};
  }

 private:
  // What stands on a stream, but not at its head.
  WaitEdge queued_edge(std::int32_t index, std::int64_t kernel) const {
    const StreamState& stream = state_.streams[static_cast<std::size_t>(index)];
    const std::int64_t head =
        state_.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)].kernel;
    const std::string place =
        fmt::format("stream {} of rank {}", stream_name(state_, index), stream.rank);
    const std::string text = kernel_text(*state_.program, kernel);
    if (head < 0) {
      return {stream_item(index), fmt::format("{}, which {} has not come to", text, place), kernel};
    }
    return {stream_item(index),
            fmt::format("{}, which is queued behind {} on {}", text,
                        kernel_text(*state_.program, head), place),
            kernel};
  }

  const State& state_;
  std::vector<std::int32_t> item_of_stream_;
  std::vector<std::int32_t> item_of_thread_;
};

WaitEdge event_edge(const State& state, const Finder& finder, std::int32_t rank,
                    std::int32_t event_index) {
  const EventState& event = state.events[static_cast<std::size_t>(event_index)];
  if (event.stream >= 0) {
    const StreamState& stream = state.streams[static_cast<std::size_t>(event.stream)];
    const StreamEntry& last =
        state.entries[static_cast<std::size_t>(stream.first_entry + event.position - 1)];
    const std::string what =
        last.kernel >= 0 ? kernel_text(*state.program, last.kernel) : "what is queued";
    return {finder.stream_item(event.stream),
            fmt::format("{} on stream {} of rank {}", what, stream_name(state, event.stream), rank),
            last.kernel >= 0 ? last.kernel : -1};
  }
  const std::int32_t local = event_index - state.ranks[static_cast<std::size_t>(rank)].first_event;
  const std::int32_t thread = finder.thread_to(rank, [local](const Command& command) {
    return command.type == CommandType::record && command.index == local;
  });
  assert(thread >= 0);  // validate() has seen that every event is recorded
  return {finder.thread_item(rank, thread),
          fmt::format("an event that thread {} of rank {} has not recorded",
                      thread_name(state, rank, thread), rank)};
}

std::vector<WaitEdge> p2p_edges(const State& state, const Finder& finder, const Kernel& kernel) {
  std::vector<WaitEdge> edges;
  const Program& program = *state.program;
  std::vector<std::pair<std::int32_t, bool>> asked;
  for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) {
    const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(kernel.first_part + offset)];
    if (is_eager(program, part)) continue;
    const std::pair<std::int32_t, bool> question(part.peer, part.is_send);
    if (std::find(asked.begin(), asked.end(), question) != asked.end()) continue;
    asked.push_back(question);
    if (!part_waits(state, kernel, part)) continue;
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

std::vector<WaitEdge> collective_edges(const State& state, const Finder& finder,
                                       const Kernel& kernel) {
  std::vector<WaitEdge> edges;
  const Communicator& communicator =
      state.program->communicators[static_cast<std::size_t>(kernel.communicator)];
  const std::string call = fmt::format("a collective on communicator {}", communicator.name);
  for (const std::int32_t member : communicator.ranks) {
    if (member == kernel.rank || has_arrived(state, kernel.communicator, member)) continue;
    edges.push_back(finder.kernel_to_come(member, call, [&kernel](const Kernel& other) {
      return is_collective(other.kind) && other.communicator == kernel.communicator;
    }));
  }
  return edges;
}

std::vector<WaitEdge> stream_edges(const State& state, const Finder& finder,
                                   const BlockedItem& item) {
  const RankState& rank = state.ranks[static_cast<std::size_t>(item.rank)];
  const StreamState& stream =
      state.streams[static_cast<std::size_t>(rank.first_stream + item.index)];
  const std::int64_t head =
      state.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)].kernel;
  if (head < 0) {
    return {event_edge(state, finder, item.rank, static_cast<std::int32_t>(~head))};
  }
  const Kernel& kernel = state.program->kernels[static_cast<std::size_t>(head)];
  return kernel.kind == KernelKind::p2p ? p2p_edges(state, finder, kernel)
                                        : collective_edges(state, finder, kernel);
}

// How many there are since the thread last forked another one: since the overlap began.
std::int32_t rendezvous_up_to(const ThreadState& thread, std::int32_t end) {
  std::int32_t count = 0;
  for (std::int32_t position = 0; position < end; ++position) {
    const CommandType type = thread.commands[position].type;
    if (type == CommandType::fork) count = 0;
    if (type == CommandType::rendezvous) ++count;
  }
  return count;
}

std::vector<WaitEdge> thread_edges(const State& state, const Finder& finder,
                                   const BlockedItem& item) {
  const RankState& rank = state.ranks[static_cast<std::size_t>(item.rank)];
  const ThreadState& thread =
      state.threads[static_cast<std::size_t>(rank.first_thread + item.index)];
  const Command& command = thread.commands[thread.position];
  if (thread.phase == ThreadPhase::in_event) {
    return {event_edge(state, finder, item.rank, rank.first_event + command.index)};
  }
  if (thread.phase == ThreadPhase::in_join) {
    return {{finder.thread_item(item.rank, command.index),
             fmt::format("the end of thread {}", thread_name(state, item.rank, command.index))}};
  }
  const std::int32_t partner = item.index == 0 ? rank.pairing.forked : 0;
  const std::int32_t partner_item = finder.thread_item(item.rank, partner);
  const std::string name = thread_name(state, item.rank, partner);
  const std::string what =
      thread.phase == ThreadPhase::in_notify ? "call notify(COMM)" : "come to the rendezvous";
  if (partner_item < 0) {
    const ThreadState& other = state.threads[static_cast<std::size_t>(rank.first_thread + partner)];
    const std::string step = thread_step(state, other);
    return {{-1, fmt::format("thread {}{} to {}, but that thread has ended after {} rendezvous and "
                             "did not depart; this is number {}",
                             name, step.empty() ? "" : " of " + step, what,
                             rendezvous_up_to(other, other.count),
                             rendezvous_up_to(thread, thread.position + 1))}};
  }
  return {{partner_item, fmt::format("thread {} to {}", name, what)}};
}

std::vector<BlockedItem> blocked_items(const State& state) {
  std::vector<BlockedItem> items;
  for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
    const auto rank_number = static_cast<std::int32_t>(rank);
    const RankState& rank_state = state.ranks[rank];
    const RankProgram& program = state.program->ranks[rank];
    for (std::size_t index = 0; index < program.threads.size(); ++index) {
      const ThreadState& thread =
          state.threads[static_cast<std::size_t>(rank_state.first_thread) + index];
      if (thread.phase == ThreadPhase::ended || thread.phase == ThreadPhase::unborn) continue;
      items.push_back({rank_number, true, static_cast<std::int32_t>(index), -1, thread.position,
                       thread_text(state, thread)});
    }
    for (std::size_t index = 0; index < program.streams.size(); ++index) {
      const auto number =
          static_cast<std::int32_t>(static_cast<std::size_t>(rank_state.first_stream) + index);
      const StreamState& stream = state.streams[static_cast<std::size_t>(number)];
      if (stream.passed == stream.appended) continue;
      const std::int64_t head =
          state.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)].kernel;
      items.push_back({rank_number, false, static_cast<std::int32_t>(index), head < 0 ? -1 : head,
                       -1, stream_text(state, number)});
    }
  }
  return items;
}

}  // namespace

WaitGraph wait_graph(const State& state) {
  WaitGraph graph{blocked_items(state), {}, {}};
  const Finder finder(state, graph.items);
  for (BlockedItem& item : graph.items) {
    std::vector<WaitEdge> edges =
        item.is_thread ? thread_edges(state, finder, item) : stream_edges(state, finder, item);
    graph.subjects.push_back(item.text);
    if (!edges.empty()) item.text += ", waiting for " + edges.front().reason;
    if (edges.size() > 1) item.text += fmt::format(", and for {} more", edges.size() - 1);
    graph.edges.push_back(std::move(edges));
  }
  return graph;
}

}  // namespace steptwin::sim
