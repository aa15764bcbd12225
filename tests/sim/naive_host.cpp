#include <cassert>

#include "tests/sim/naive_state.h"

namespace steptwin::naive {
namespace {

const Command& command_of(const State& state, std::int32_t rank, std::int32_t thread) {
  return state.program->ranks[at(rank)]
      .threads[at(thread)]
      .commands[state.ranks[at(rank)].threads[at(thread)].next];
}

TimeNs host_time(const State& state, std::int32_t rank, const Command& command) {
  const HostCosts& host = state.program->host;
  switch (command.type) {
    case CommandType::launch:
      return host.launch_ns * state.program->kernels[at(command.kernel)].launches;
    case CommandType::record:
    case CommandType::wait:
      return host.event_ns;
    case CommandType::host_work:
      return state.program->ranks[at(rank)].host_work_ns[at(command.index)];
    case CommandType::fork:
      return host.fork_ns;
    case CommandType::host_wait:
    case CommandType::rendezvous:
    case CommandType::notify:
    case CommandType::depart:
    case CommandType::join:
      return 0;
  }
  return 0;
}

void end_if_out_of_commands(State& state, std::int32_t rank, std::int32_t thread) {
  ThreadState& thread_state = state.ranks[at(rank)].threads[at(thread)];
  if (thread_state.next < state.program->ranks[at(rank)].threads[at(thread)].commands.size()) {
    thread_state.activity = Activity::free;
    return;
  }
  thread_state.activity = Activity::ended;
  thread_state.ended_ns = state.now_ns;
}

std::size_t entries_covered(const StreamState& stream, std::int32_t kernel) {
  if (kernel < 0) return stream.entries.size();
  for (std::size_t position = 0; position < stream.entries.size(); ++position) {
    const StreamEntry& entry = stream.entries[position];
    if (!entry.is_wait && entry.index == kernel) return position + 1;
  }
  assert(false && "a record covers a kernel that its thread has launched");
  return 0;
}

void append_kernel(State& state, std::int32_t id) {
  const Kernel& kernel = state.program->kernels[at(id)];
  state.ranks[at(kernel.rank)].streams[at(kernel.stream)].entries.push_back({false, id});
  state.kernels[at(id)].times.enqueue_ns = state.now_ns;
}

// What the command does at its end. Blocking commands do nothing but end.
void take_effect(State& state, std::int32_t rank, std::int32_t thread) {
  const Command& command = command_of(state, rank, thread);
  RankState& rank_state = state.ranks[at(rank)];
  switch (command.type) {
    case CommandType::launch:
      return append_kernel(state, command.kernel);
    case CommandType::record: {
      EventState& event = rank_state.events[at(command.index)];
      event.stream = command.stream;
      event.covers = entries_covered(rank_state.streams[at(command.stream)], command.kernel);
      return note_complete_events(state, rank);
    }
    case CommandType::wait:
      rank_state.streams[at(command.stream)].entries.push_back({true, command.index});
      return;
    case CommandType::notify:
      return notify(state, rank, thread, command.role);
    case CommandType::depart:
      return depart(state, rank, thread);
    case CommandType::fork:
      begin_overlap(rank_state, command.index);
      return end_if_out_of_commands(state, rank, command.index);
    case CommandType::join:
      return end_overlap(rank_state);
    case CommandType::host_wait:
    case CommandType::host_work:
    case CommandType::rendezvous:
      return;
  }
}

void complete(State& state, std::int32_t rank, std::int32_t thread) {
  const Command& command = command_of(state, rank, thread);
  take_effect(state, rank, thread);
  ThreadState& thread_state = state.ranks[at(rank)].threads[at(thread)];
  HostRecord record;
  record.rank = rank;
  record.thread = thread;
  record.command = command.type;
  if (command.type == CommandType::rendezvous || command.type == CommandType::notify) {
    record.role = command.role;
    record.hook = command.hook;
    record.layer = command.index;
  }
  if (command.type == CommandType::launch) record.kernel = command.kernel;
  record.begin_ns = thread_state.begin_ns;
  record.end_ns = state.now_ns;
  thread_state.records.push_back(record);
  ++thread_state.next;
  end_if_out_of_commands(state, rank, thread);
}

bool needs_lock(const State& state, const Command& command) {
  return command.type == CommandType::launch && state.program->host.one_launch_lock;
}

// Begins the timed launch if the lock is the thread's by now.
bool begin_if_lock_is_ours(State& state, std::int32_t rank, std::int32_t thread) {
  if (state.ranks[at(rank)].lock_queue.front() != thread) return false;
  ThreadState& thread_state = state.ranks[at(rank)].threads[at(thread)];
  thread_state.activity = Activity::timed;
  thread_state.until_ns = state.now_ns + host_time(state, rank, command_of(state, rank, thread));
  return true;
}

void complete_timed(State& state, std::int32_t rank, std::int32_t thread) {
  std::vector<std::int32_t>& queue = state.ranks[at(rank)].lock_queue;
  if (needs_lock(state, command_of(state, rank, thread))) {
    assert(queue.front() == thread);
    queue.erase(queue.begin());
  }
  complete(state, rank, thread);
}

// When what the thread blocks for has come true plus wake_ns; nothing if it has not yet.
std::optional<TimeNs> resumes_ns(const State& state, std::int32_t rank, std::int32_t thread) {
  const Command& command = command_of(state, rank, thread);
  const RankState& rank_state = state.ranks[at(rank)];
  if (command.type == CommandType::rendezvous) return leaves_ns(state, rank, thread);
  const TimeNs true_ns = command.type == CommandType::host_wait
                             ? rank_state.events[at(command.index)].complete_ns
                             : rank_state.threads[at(command.index)].ended_ns;
  if (true_ns == kNever) return std::nullopt;
  return true_ns + state.program->host.wake_ns;
}

// A host_wait, join or rendezvous that is true when it begins completes in one go.
void begin_blocking(State& state, std::int32_t rank, std::int32_t thread) {
  const Command& command = command_of(state, rank, thread);
  const bool holds = command.type == CommandType::rendezvous
                         ? arrive(state, rank, thread, command.role)
                         : resumes_ns(state, rank, thread).has_value();
  if (holds) return complete(state, rank, thread);
  state.ranks[at(rank)].threads[at(thread)].activity = Activity::blocked;
}

void begin(State& state, std::int32_t rank, std::int32_t thread) {
  const Command& command = command_of(state, rank, thread);
  ThreadState& thread_state = state.ranks[at(rank)].threads[at(thread)];
  thread_state.begin_ns = state.now_ns;
  if (command.type == CommandType::host_wait || command.type == CommandType::join ||
      command.type == CommandType::rendezvous) {
    return begin_blocking(state, rank, thread);
  }
  const TimeNs duration_ns = host_time(state, rank, command);
  if (duration_ns == 0) return complete(state, rank, thread);
  if (needs_lock(state, command)) {
    state.ranks[at(rank)].lock_queue.push_back(thread);
    thread_state.activity = Activity::wants_lock;
    begin_if_lock_is_ours(state, rank, thread);
    return;
  }
  thread_state.activity = Activity::timed;
  thread_state.until_ns = state.now_ns + duration_ns;
}

bool resume_if_possible(State& state, std::int32_t rank, std::int32_t thread) {
  const std::optional<TimeNs> when_ns = resumes_ns(state, rank, thread);
  if (!when_ns || *when_ns > state.now_ns) return false;
  const bool rendezvous = command_of(state, rank, thread).type == CommandType::rendezvous;
  if (!rendezvous || look_again(state, rank, thread)) complete(state, rank, thread);
  return true;
}

}  // namespace

bool take_turn(State& state, std::int32_t rank, std::int32_t thread) {
  const ThreadState& thread_state = state.ranks[at(rank)].threads[at(thread)];
  switch (thread_state.activity) {
    case Activity::unborn:
    case Activity::ended:
      return false;
    case Activity::free:
      begin(state, rank, thread);
      return true;
    case Activity::timed:
      if (thread_state.until_ns > state.now_ns) return false;
      complete_timed(state, rank, thread);
      return true;
    case Activity::wants_lock:
      return begin_if_lock_is_ours(state, rank, thread);
    case Activity::blocked:
      return resume_if_possible(state, rank, thread);
  }
  return false;
}

std::optional<TimeNs> goes_on_ns(const State& state, std::int32_t rank, std::int32_t thread) {
  const ThreadState& thread_state = state.ranks[at(rank)].threads[at(thread)];
  if (thread_state.activity == Activity::timed) return thread_state.until_ns;
  if (thread_state.activity == Activity::blocked) return resumes_ns(state, rank, thread);
  return std::nullopt;
}

}  // namespace steptwin::naive
