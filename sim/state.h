#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/large_array.h"
#include "model/program.h"
#include "model/trace.h"
#include "model/trace_of.h"
#include "sim/channels.h"
#include "sim/stamp.h"

namespace steptwin::sim {

// Everything an evaluation of a Program knows, in flat arrays. Streams, threads and events are
// numbered through all ranks; RankState holds where a rank's own begin.

inline constexpr std::int32_t kNobody = -1;

// A slot of a stream's queue: a kernel, or a wait for an event. When it was appended; once passed:
// when it was passed (a kernel: its end). The stamp lies in two fields: four entries fill a cache
// line.
struct StreamEntry {
  TimeNs time = 0;
  std::uint32_t sub = 0;
  std::int32_t kernel = 0;  // >= 0; a wait entry holds ~event

  Stamp stamp() const { return {time, sub}; }
};

struct StreamState {
  std::int64_t first_entry = 0;  // into State::entries
  std::int32_t appended = 0;     // entries so far
  std::int32_t passed = 0;       // of them
  Stamp last;                    // when the newest passed entry was passed
  // The communication kernel in flight at the head, if any.
  std::int32_t flight = -1;
  std::int32_t open_parts = 0;
  Stamp arrived;
  Stamp flight_end;
  TimeNs flight_start_ns = 0;
  // Who waits for this stream to pass entries: a chain through State::watchers.
  std::int32_t watchers = kNobody;
  std::int32_t watched_position = 0;  // the smallest they wait for
  std::int32_t rank = 0;
  bool queued = false;       // in State::active_streams
  bool times_parts = false;  // the kernel in flight has several parts
};

// An event covers the first `position` entries of a stream.
struct EventState {
  TimeNs recorded_time = 0;
  std::uint32_t recorded_sub = 0;
  std::int32_t stream = -1;  // not recorded yet
  std::int32_t position = 0;
  std::int32_t watchers = kNobody;
};

// A link of a chain of those who wait for the same.
struct Watcher {
  std::int32_t next = kNobody;
  std::int32_t awaited_position = 0;  // of the stream it waits for
};

enum class ThreadPhase : std::uint8_t {
  beginning,  // begins its next command at `at`
  busy,       // in a command that takes time; completes at `at`
  leaving,    // leaves the barrier at `at`
  in_lock,    // waits for the launch lock
  in_event,   // host_wait
  in_join,
  in_barrier,  // first at the rendezvous
  in_notify,   // COMPUTE side past the barrier, waits for the COMM side's notify
  unborn,
  ended,
};

struct ThreadState {
  const Command* commands = nullptr;
  std::int32_t count = 0;
  std::int32_t position = 0;
  std::int32_t rank = 0;
  std::int32_t number = 0;  // within the rank
  std::int64_t first_record = 0;
  ThreadPhase phase = ThreadPhase::unborn;
  Stamp at;  // of its next action; once ended: when it ended
  TimeNs began_ns = 0;
  bool waited_for_lock = false;  // began_ns is when it asked
};

// Whether the thread's next action is known: at `at` it begins, completes or leaves.
inline bool has_action(const ThreadState& thread) {
  return thread.phase <= ThreadPhase::leaving;
}

// The two sides of a rendezvous, between fork and join.
struct Pairing {
  std::int32_t forked = kNobody;  // thread number; kNobody outside a window
  std::array<bool, 2> departed = {};
  std::array<bool, 2> owes_notify = {};  // had a COMM rendezvous it has not notified yet
  std::array<bool, 2> notified = {};     // the partner's notify for the present barrier has come
};

struct RankState {
  std::int32_t first_stream = 0;
  std::int32_t first_thread = 0;
  std::int32_t first_event = 0;
  std::int32_t lock_holder = kNobody;  // thread number
  Pairing pairing;
  bool queued = false;  // in State::active_ranks
};

// A call of a communicator that some members have made. Its members cannot be more than one call
// apart, so one open call is all there is.
struct CommunicatorState {
  std::int32_t arrived = 0;
  std::int32_t streams = kNobody;  // that wait in it: a chain through State::watchers
  Stamp latest;
};

// A sending part that ends without its receiver, which may find it long after its kernel has gone.
struct EagerSend {
  Stamp arrived;
  Stamp end;
  bool has_ended = false;                  // end is known
  std::int32_t receiver_stream = kNobody;  // where its receiver is in flight until then
  std::int32_t receiver_part = -1;
};

struct State {
  const Program* program = nullptr;
  std::vector<RankState> ranks;
  std::vector<StreamState> streams;
  std::vector<ThreadState> threads;
  LargeArray<EventState> events;
  UnsetArray<StreamEntry> entries;
  std::vector<CommunicatorState> communicators;
  Channels channels;
  std::vector<EagerSend> eager_sends;  // by part; empty if Program::eager_bytes is 0
  // A watcher is a stream (its number) or a thread (streams.size() + its number).
  std::vector<Watcher> watchers;
  std::vector<std::int32_t> active_streams;  // stack: may be able to go on
  std::vector<std::int32_t> active_ranks;    // their host threads may
  UnsetArray<KernelTimes> times;             // by kernel; written when it arrives and ends
  UnsetArray<TimeSpan> part_times;           // by part; written for kernels with several
  std::vector<TimeSpan> records;             // by command, if wanted
};

// All arrays sized, main threads about to begin, nothing run yet.
State make_state(const Program& program, bool host_records);

inline void activate_stream(State& state, std::int32_t stream) {
  StreamState& target = state.streams[static_cast<std::size_t>(stream)];
  if (target.queued) return;
  target.queued = true;
  state.active_streams.push_back(stream);
}

inline void activate_rank(State& state, std::int32_t rank) {
  RankState& target = state.ranks[static_cast<std::size_t>(rank)];
  if (target.queued) return;
  target.queued = true;
  state.active_ranks.push_back(rank);
}

// When the event completes, if that is known already.
inline bool event_known(const State& state, const EventState& event, Stamp& completed) {
  if (event.stream < 0) return false;
  const StreamState& stream = state.streams[static_cast<std::size_t>(event.stream)];
  if (stream.passed < event.position) return false;
  completed = {event.recorded_time, event.recorded_sub};
  if (event.position > 0) {
    const StreamEntry& covered =
        state.entries[static_cast<std::size_t>(stream.first_entry + event.position - 1)];
    completed = later(completed, covered.stamp());
  }
  return true;
}

// Wakes `watcher` (see State::watchers) when the event's completion is known.
void watch_event(State& state, std::int32_t watcher, std::int32_t event);

// Wakes everything that waits for the stream to have passed what it has passed by now.
void wake_watchers(State& state, std::int32_t stream);

inline void release_watchers(State& state, std::int32_t stream_index) {
  const StreamState& stream = state.streams[static_cast<std::size_t>(stream_index)];
  if (stream.watchers == kNobody || stream.passed < stream.watched_position) return;
  wake_watchers(state, stream_index);
}

// The event has just been recorded: whoever waited for that is woken if its time is known, and else
// waits for the stream it covers.
void event_recorded(State& state, std::int32_t event);

}  // namespace steptwin::sim
