#include "sim/deadlock.h"

#include <algorithm>
#include <vector>

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

ThreadStop stop_of(ThreadPhase phase) {
  switch (phase) {
    case ThreadPhase::in_event:
      return ThreadStop::in_event;
    case ThreadPhase::in_join:
      return ThreadStop::in_join;
    case ThreadPhase::in_barrier:
      return ThreadStop::in_barrier;
    case ThreadPhase::in_notify:
      return ThreadStop::in_notify;
    case ThreadPhase::unborn:
      return ThreadStop::unborn;
    case ThreadPhase::ended:
      return ThreadStop::ended;
    case ThreadPhase::beginning:
    case ThreadPhase::busy:
    case ThreadPhase::leaving:
    case ThreadPhase::in_lock:
      return ThreadStop::running;
  }
  return ThreadStop::running;
}

StoppedStream stopped_stream(const State& state, const StreamState& stream,
                             std::int32_t first_event) {
  StoppedStream stopped;
  stopped.passed = stream.passed;
  for (std::int32_t position = 0; position < stream.appended; ++position) {
    const std::int32_t entry =
        state.entries[static_cast<std::size_t>(stream.first_entry + position)].kernel;
    stopped.entries.push_back(entry >= 0 ? entry : ~(~entry - first_event));
  }
  return stopped;
}

StoppedRank stopped_rank(const State& state, std::size_t rank) {
  const RankState& from = state.ranks[rank];
  const RankProgram& program = state.program->ranks[rank];
  StoppedRank stopped;
  stopped.forked = from.pairing.forked;
  for (std::size_t index = 0; index < program.threads.size(); ++index) {
    const ThreadState& thread = state.threads[static_cast<std::size_t>(from.first_thread) + index];
    stopped.threads.push_back({stop_of(thread.phase), thread.position});
  }
  for (std::size_t index = 0; index < program.streams.size(); ++index) {
    const auto number = static_cast<std::size_t>(from.first_stream) + index;
    stopped.streams.push_back(stopped_stream(state, state.streams[number], from.first_event));
  }
  for (std::int32_t index = 0; index < program.events; ++index) {
    const EventState& event = state.events[static_cast<std::size_t>(from.first_event + index)];
    stopped.events.push_back({event.stream < 0 ? -1 : event.stream - from.first_stream,  //
                              event.position});
  }
  return stopped;
}

}  // namespace

Standstill standstill_of(const State& state) {
  Standstill standstill{state.program, {}};
  for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
    standstill.ranks.push_back(stopped_rank(state, rank));
  }
  return standstill;
}

Deadlock explain_deadlock(const State& state) {
  Deadlock deadlock = explain(standstill_of(state));
  deadlock.times = times_so_far(state);
  deadlock.at_ns = last_instant(state, deadlock.times);
  return deadlock;
}

}  // namespace steptwin::sim
