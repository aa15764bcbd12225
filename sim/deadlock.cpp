#include "sim/deadlock.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/wait_graph.h"

namespace steptwin::sim {
namespace {

// The last instant at which anything happened.
TimeNs last_instant(const State& state) {
  TimeNs last = 0;
  for (const KernelTimes& times : state.times) {
    last = std::max({last, times.enqueue_ns, times.ready_ns, times.start_ns, times.end_ns});
  }
  for (const ThreadState& thread : state.threads) {
    if (thread.phase != ThreadPhase::unborn) last = std::max(last, thread.at.time);
  }
  return last;
}

// A kernel some of whose parts have transferred has started, though it can never end.
std::vector<KernelTimes> times_so_far(const State& state) {
  std::vector<KernelTimes> times(state.times.begin(), state.times.end());
  for (const StreamState& stream : state.streams) {
    if (stream.flight < 0) continue;
    times[static_cast<std::size_t>(stream.flight)].start_ns = stream.flight_start_ns;
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
  deadlock.at_ns = last_instant(state);
  deadlock.cycle = shortest_cycle(graph);
  deadlock.cycle_text = sentence(graph, deadlock.cycle);
  deadlock.blocked = std::move(graph.items);
  deadlock.times = times_so_far(state);
  return deadlock;
}

}  // namespace steptwin::sim
