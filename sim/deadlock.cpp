#include "sim/deadlock.h"

#include <algorithm>
#include <fmt/format.h>

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
        times[kernel].enqueue_ns = entry.stamp.time;
      }
    }
    if (stream.flight < 0) continue;
    const auto flight = static_cast<std::size_t>(stream.flight);
    times[flight].ready_ns = state.times[flight].ready_ns;
    times[flight].start_ns = stream.flight_start_ns;
  }
  return times;
}

std::string sentence(const WaitGraph& graph, const std::vector<std::int32_t>& cycle) {
  std::string text;
  for (std::size_t at = 0; at < cycle.size(); ++at) {
    const auto item = static_cast<std::size_t>(cycle[at]);
    const std::int32_t next = cycle[(at + 1) % cycle.size()];
    const auto edge = std::find_if(graph.edges[item].begin(), graph.edges[item].end(),
                                   [next](const WaitEdge& one) { return one.target == next; });
    const std::string& full = graph.items[item].text;
    const std::string subject = full.substr(0, full.find(", waits for "));
    text += fmt::format("{}{} and waits for {}", at == 0 ? "" : "; ", subject, edge->reason);
  }
  return text.empty() ? text : text + "; and so round.";
}

}  // namespace

Deadlock explain_deadlock(const State& state) {
  WaitGraph graph = wait_graph(state);
  Deadlock deadlock;
  deadlock.times = times_so_far(state);
  deadlock.at_ns = last_instant(state, deadlock.times);
  deadlock.cycle = shortest_cycle(graph);
  deadlock.cycle_text = sentence(graph, deadlock.cycle);
  deadlock.blocked = std::move(graph.items);
  return deadlock;
}

}  // namespace steptwin::sim
