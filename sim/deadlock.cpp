#include "sim/deadlock.h"

#include <algorithm>
#include <utility>

#include "sim/wait_cycle.h"
#include "sim/wait_graph.h"

namespace steptwin::sim {
namespace {

// The last instant at which anything happened.
TimeNs last_instant(const State& state, const std::vector<KernelTimes>& all_times) {
  TimeNs last = 0;
  for (const KernelTimes& times : all_times) {
    last = std::max({last, times.enqueue_ns, times.ready_ns, times.start_ns, times.end_ns});
  }
  for (const ThreadState& thread : state.threads) {
    if (thread.phase != ThreadPhase::unborn) last = std::max(last, thread.at.time);
  }
  return last;
}

// -1 where it never came to it. A queued kernel was enqueued; one in flight has arrived, and
// started if some of its parts have transferred.
std::vector<KernelTimes> times_so_far(const State& state) {
  std::vector<KernelTimes> times(state.times.size(), KernelTimes{-1, -1, -1, -1});
  for (const StreamState& stream : state.streams) {
    for (std::int64_t position = 0; position < stream.appended; ++position) {
      const StreamEntry& entry =
          state.entries[static_cast<std::size_t>(stream.first_entry + position)];
      if (entry.kernel < 0) continue;
      const auto kernel = static_cast<std::size_t>(entry.kernel);
      if (position < stream.passed) {
        times[kernel] = state.times[kernel];
      } else {
        times[kernel].enqueue_ns = entry.time;
      }
    }
    if (stream.flight < 0) continue;
    const auto flight = static_cast<std::size_t>(stream.flight);
    times[flight].ready_ns = state.times[flight].ready_ns;
    times[flight].start_ns = stream.flight_start_ns;
  }
  return times;
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

Deadlock explain_deadlock(const State& state) {
  WaitGraph graph = wait_graph(state);
  Deadlock deadlock;
  deadlock.times = times_so_far(state);
  deadlock.at_ns = last_instant(state, deadlock.times);
  deadlock.cycle = shortest_cycle(graph);
  deadlock.first = first_item(graph, deadlock.cycle);
  deadlock.cycle_text = cycle_sentences(graph, deadlock.cycle);
  deadlock.awaited = kernels_awaited(graph, deadlock.cycle);
  deadlock.blocked = std::move(graph.items);
  return deadlock;
}

}  // namespace steptwin::sim
