#include "sim/host.h"

#include <cassert>
#include <limits>

#include "sim/rendezvous.h"

namespace steptwin::sim {
namespace {

constexpr int kActionsPerVisit = 256;
constexpr Stamp kNever = {std::numeric_limits<TimeNs>::max(), 0};

ThreadState& thread_of(State& state, const RankState& rank, std::int32_t number) {
  return state.threads[static_cast<std::size_t>(rank.first_thread + number)];
}

void append(State& state, std::int32_t stream_index, std::int32_t what, const Stamp& at) {
  StreamState& stream = state.streams[static_cast<std::size_t>(stream_index)];
  state.entries[static_cast<std::size_t>(stream.first_entry + stream.appended)] = {at.time, at.sub,
                                                                                   what};
  ++stream.appended;
  if (stream.flight < 0 && stream.appended == stream.passed + 1) {
    activate_stream(state, stream_index);
  }
}

// The stream comes to the kernel soon, and would wait for memory there.
void fetch_for_stream(const State& state, std::int32_t kernel) {
  const auto index = static_cast<std::size_t>(kernel);
  __builtin_prefetch(&state.program->kernels[index]);
  __builtin_prefetch(&state.times[index], 1);
}

// How many entries of the stream the event covers: all so far, or up to a kernel launched on it
// not long ago.
std::int32_t covered_entries(const State& state, const StreamState& stream, std::int32_t kernel) {
  std::int32_t position = stream.appended;
  if (kernel < 0) return position;
  while (position > 0 &&
         state.entries[static_cast<std::size_t>(stream.first_entry + position - 1)].kernel !=
             kernel) {
    --position;
  }
  assert(position > 0);  // validate() has seen the launch before the record
  return position;
}

void record(State& state, const RankState& rank, const Command& command, const Stamp& at) {
  const std::int32_t index = rank.first_event + command.index;
  EventState& event = state.events[static_cast<std::size_t>(index)];
  const std::int32_t stream = rank.first_stream + command.stream;
  event.position =
      covered_entries(state, state.streams[static_cast<std::size_t>(stream)], command.kernel);
  event.recorded_time = at.time;
  event.recorded_sub = at.sub;
  event.stream = stream;
  if (event.watchers != kNobody) event_recorded(state, index);
}

void fork_thread(State& state, RankState& rank, std::int32_t number, const Stamp& at) {
  rank.pairing = Pairing{};
  rank.pairing.forked = number;
  ThreadState& forked = thread_of(state, rank, number);
  forked.at = forked.count > 0 ? turn_after(at, number) : at;
  forked.phase = forked.count > 0 ? ThreadPhase::beginning : ThreadPhase::ended;
}

TimeNs duration_of(const State& state, const ThreadState& thread, const Command& command) {
  const HostCosts& host = state.program->host;
  switch (command.type) {
    case CommandType::launch:
      return host.launch_ns * command.index;
    case CommandType::record:
    case CommandType::wait:
      return host.event_ns;
    case CommandType::host_work:
      return state.program->ranks[static_cast<std::size_t>(thread.rank)]
          .host_work_ns[static_cast<std::size_t>(command.index)];
    case CommandType::fork:
      return host.fork_ns;
    case CommandType::host_wait:
    case CommandType::rendezvous:
    case CommandType::notify:
    case CommandType::depart:
    case CommandType::join:
      break;
  }
  return 0;
}

// What a command does at its end.
void take_effect(State& state, RankState& rank, const ThreadState& thread, const Command& command,
                 const Stamp& at) {
  switch (command.type) {
    case CommandType::launch:
      fetch_for_stream(state, command.kernel);
      append(state, rank.first_stream + command.stream, command.kernel, at);
      break;
    case CommandType::record:
      record(state, rank, command, at);
      break;
    case CommandType::wait:
      append(state, rank.first_stream + command.stream, ~(rank.first_event + command.index), at);
      break;
    case CommandType::notify:
      notify(state, rank, thread, command.role, at);
      break;
    case CommandType::depart:
      depart(state, rank, thread, at);
      break;
    case CommandType::fork:
      fork_thread(state, rank, command.index, at);
      break;
    case CommandType::join:
      rank.pairing = Pairing{};
      break;
    case CommandType::host_work:
    case CommandType::host_wait:
    case CommandType::rendezvous:
      break;
  }
}

void end_thread(State& state, RankState& rank, ThreadState& thread, const Stamp& at) {
  thread.phase = ThreadPhase::ended;
  thread.at = at;
  ThreadState& main = thread_of(state, rank, 0);
  if (main.phase == ThreadPhase::in_join && main.commands[main.position].index == thread.number) {
    resume_blocked(state, main, at);
  }
}

void note_end(State& state, const ThreadState& thread, std::int32_t position, const Stamp& at) {
  if (state.records.empty()) return;
  state.records[static_cast<std::size_t>(thread.first_record + position)] = {thread.began_ns,
                                                                             at.time};
}

void complete(State& state, RankState& rank, ThreadState& thread, const Stamp& at) {
  const Command& command = thread.commands[thread.position];
  note_end(state, thread, thread.position, at);
  if (rank.lock_holder == thread.number) {
    rank.lock_holder = kNobody;
    release_lock(state, rank, thread, at);
  }
  take_effect(state, rank, thread, command, at);
  if (++thread.position == thread.count) {
    end_thread(state, rank, thread, at);
    return;
  }
  thread.phase = ThreadPhase::beginning;
  thread.at = next_turn(at);
}

// A thread in host_wait whose event's time has become known goes on from there. If the event was
// complete when it asked it has not blocked at all.
void look_again(State& state, const RankState& rank, ThreadState& thread) {
  if (thread.phase != ThreadPhase::in_event) return;
  const std::int32_t event = rank.first_event + thread.commands[thread.position].index;
  Stamp completed;
  if (!event_known(state, state.events[static_cast<std::size_t>(event)], completed)) return;
  if (completed < thread.at) {
    thread.phase = ThreadPhase::busy;
  } else {
    resume_blocked(state, thread, completed);
  }
}

void begin_host_wait(State& state, const RankState& rank, ThreadState& thread,
                     const Command& command) {
  thread.phase = ThreadPhase::in_event;
  look_again(state, rank, thread);
  if (thread.phase != ThreadPhase::in_event) return;
  watch_event(state,
              static_cast<std::int32_t>(state.streams.size()) + rank.first_thread + thread.number,
              rank.first_event + command.index);
}

void begin_join(State& state, RankState& rank, ThreadState& thread, const Command& command) {
  const ThreadState& forked = thread_of(state, rank, command.index);
  if (forked.phase == ThreadPhase::ended) {
    complete(state, rank, thread, thread.at);
  } else {
    thread.phase = ThreadPhase::in_join;
  }
}

void begin(State& state, RankState& rank, ThreadState& thread) {
  const Command& command = thread.commands[thread.position];
  thread.began_ns = thread.at.time;
  if (command.type == CommandType::host_wait) return begin_host_wait(state, rank, thread, command);
  if (command.type == CommandType::join) return begin_join(state, rank, thread, command);
  if (command.type == CommandType::rendezvous) {
    if (!arrive(state, rank, thread, command.role)) return;
    return complete(state, rank, thread, thread.at);
  }
  const TimeNs duration = duration_of(state, thread, command);
  if (duration == 0) return complete(state, rank, thread, thread.at);
  if (command.type == CommandType::launch && state.program->host.one_launch_lock) {
    if (rank.lock_holder != kNobody) {
      thread.phase = ThreadPhase::in_lock;
      return;
    }
    rank.lock_holder = thread.number;
  }
  thread.phase = ThreadPhase::busy;
  thread.at = first_turn(thread.at.time + duration, thread.number);
}

// A launch that waited for the lock: it asked before, so it keeps the time it began.
void begin_after_lock(State& state, RankState& rank, ThreadState& thread) {
  const TimeNs asked_ns = thread.began_ns;
  begin(state, rank, thread);
  thread.began_ns = asked_ns;
}

void act(State& state, RankState& rank, ThreadState& thread) {
  switch (thread.phase) {
    case ThreadPhase::beginning:
      if (thread.waited_for_lock) {
        thread.waited_for_lock = false;
        return begin_after_lock(state, rank, thread);
      }
      return begin(state, rank, thread);
    case ThreadPhase::busy:
      return complete(state, rank, thread, thread.at);
    case ThreadPhase::leaving:
      if (may_leave(rank, thread)) complete(state, rank, thread, thread.at);
      return;
    case ThreadPhase::unborn:
    case ThreadPhase::in_lock:
    case ThreadPhase::in_event:
    case ThreadPhase::in_join:
    case ThreadPhase::in_barrier:
    case ThreadPhase::in_notify:
    case ThreadPhase::ended:
      break;
  }
  assert(false);
}

// Whether the command concerns streams only, or takes time: nothing of it frees or blocks a thread.
bool concerns_streams(const State& state, const RankState& rank, const Command& command) {
  if (command.type == CommandType::launch) {
    return rank.pairing.forked == kNobody || !state.program->host.one_launch_lock;
  }
  return command.type == CommandType::record || command.type == CommandType::wait ||
         command.type == CommandType::host_work;
}

// Begins and completes one command after the other as long as they concern streams and nobody
// else's turn, at `limit`, comes before. The same as act() by act(), for most commands of most
// programs. Returns how many it began.
int run_ahead(State& state, RankState& rank, ThreadState& thread, const Stamp& limit, int most) {
  if (thread.phase != ThreadPhase::beginning || thread.waited_for_lock) return 0;
  const Command* const commands = thread.commands;
  Stamp at = thread.at;
  std::int32_t position = thread.position;
  int actions = 0;
  while (actions < most && at < limit && concerns_streams(state, rank, commands[position])) {
    const Command& command = commands[position];
    const TimeNs duration = duration_of(state, thread, command);
    thread.began_ns = at.time;
    ++actions;
    if (duration > 0) {
      at = first_turn(at.time + duration, thread.number);
      if (!(at < limit)) {
        thread.phase = ThreadPhase::busy;
        break;
      }
    }
    note_end(state, thread, position, at);
    take_effect(state, rank, thread, command, at);
    if (++position == thread.count) {
      thread.position = position;
      end_thread(state, rank, thread, at);
      return actions;
    }
    at = next_turn(at);
  }
  thread.at = at;
  thread.position = position;
  return actions;
}

ThreadState* forked_of(State& state, const RankState& rank) {
  if (rank.pairing.forked == kNobody) return nullptr;
  return &thread_of(state, rank, rank.pairing.forked);
}

ThreadState& earliest(ThreadState& main, ThreadState* forked) {
  if (forked == nullptr || !has_action(*forked)) return main;
  if (!has_action(main) || forked->at < main.at) return *forked;
  return main;
}

}  // namespace

HostProgress advance_host(State& state, std::int32_t rank_index) {
  RankState& rank = state.ranks[static_cast<std::size_t>(rank_index)];
  ThreadState& main = thread_of(state, rank, 0);
  for (int actions = 0; actions < kActionsPerVisit; ++actions) {
    ThreadState* forked = forked_of(state, rank);
    look_again(state, rank, main);
    if (forked != nullptr) look_again(state, rank, *forked);
    ThreadState& next = earliest(main, forked);
    if (!has_action(next)) return HostProgress::idle;
    ThreadState* other = &next == &main ? forked : &main;
    if (other != nullptr && other->phase == ThreadPhase::in_event) return HostProgress::held;
    const Stamp limit = other != nullptr && has_action(*other) ? other->at : kNever;
    const int most = kActionsPerVisit - actions;
    const int ahead = run_ahead(state, rank, next, limit, most);
    actions += ahead;
    if (ahead == 0) act(state, rank, next);
  }
  return HostProgress::more;
}

Stamp held_action(const State& state, std::int32_t rank_index) {
  const RankState& rank = state.ranks[static_cast<std::size_t>(rank_index)];
  const auto first = static_cast<std::size_t>(rank.first_thread);
  const ThreadState& main = state.threads[first];
  if (has_action(main)) return main.at;
  return state.threads[first + static_cast<std::size_t>(rank.pairing.forked)].at;
}

void advance_held(State& state, std::int32_t rank_index) {
  RankState& rank = state.ranks[static_cast<std::size_t>(rank_index)];
  ThreadState& main = thread_of(state, rank, 0);
  ThreadState& next = earliest(main, forked_of(state, rank));
  assert(has_action(next));
  act(state, rank, next);
}

}  // namespace steptwin::sim
