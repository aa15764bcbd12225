#include "sim/streams.h"

#include <cassert>

#include "sim/mismatch.h"

namespace steptwin::sim {
namespace {

const Kernel& kernel_at(const State& state, std::int64_t kernel) {
  return state.program->kernels[static_cast<std::size_t>(kernel)];
}

void pass_head(StreamState& stream, StreamEntry& head, const Stamp& passed) {
  head.time = passed.time;
  head.sub = passed.sub;
  stream.last = passed;
  ++stream.passed;
}

// The kernel in flight has ended: writes its times and passes it.
void land(State& state, StreamState& stream) {
  StreamEntry& head = state.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)];
  KernelTimes& times = state.times[static_cast<std::size_t>(head.kernel)];
  times.start_ns = stream.flight_start_ns;
  times.end_ns = stream.flight_end.time;
  stream.flight = -1;
  pass_head(stream, head, stream.flight_end);
}

// One part of the kernel in flight on `stream` transfers from `start` to `end`.
void finish_part(State& state, StreamState& stream, std::int32_t part, const Stamp& start,
                 const Stamp& end) {
  if (stream.times_parts) {
    state.part_times[static_cast<std::size_t>(part)] = {start.time, end.time};
  }
  if (stream.flight_start_ns < 0 || start.time < stream.flight_start_ns) {
    stream.flight_start_ns = start.time;
  }
  stream.flight_end = later(stream.flight_end, end);
  --stream.open_parts;
}

void land_elsewhere(State& state, std::int32_t stream_index) {
  land(state, state.streams[static_cast<std::size_t>(stream_index)]);
  release_watchers(state, stream_index);
  activate_stream(state, stream_index);
}

void arrive_part(State& state, std::int32_t stream_index, const Kernel& kernel,
                 std::int32_t part_index) {
  const auto& parts = state.program->p2p_parts;
  const P2pPart& part = parts[static_cast<std::size_t>(part_index)];
  const std::int32_t sender = part.is_send ? kernel.rank : part.peer;
  const std::int32_t receiver = part.is_send ? part.peer : kernel.rank;
  Channel& channel = channel_of(state.channels, kernel.communicator, sender, receiver);
  std::vector<std::int32_t>& next_part = state.channels.next_part;
  if (channel.head < 0 || channel.sends == part.is_send) {
    if (channel.head < 0) {
      channel.head = part_index;
      channel.stream = stream_index;
      channel.sends = part.is_send;
    } else {
      next_part[static_cast<std::size_t>(channel.tail)] = part_index;
    }
    channel.tail = part_index;
    return;
  }
  const std::int32_t met = channel.head;
  channel.head = next_part[static_cast<std::size_t>(met)];
  const std::int32_t other_index = channel.stream;
  StreamState& own = state.streams[static_cast<std::size_t>(stream_index)];
  StreamState& other = state.streams[static_cast<std::size_t>(other_index)];
  const P2pPart& met_part = parts[static_cast<std::size_t>(met)];
  if (met_part.bytes != part.bytes || met_part.transfer_ns != part.transfer_ns) {
    throw_part_mismatch(*state.program, own.flight, part, other.flight, met_part);
  }
  const Stamp start = later(own.arrived, other.arrived);
  const Stamp end = end_of_work(start, part.transfer_ns);
  finish_part(state, own, part_index, start, end);
  finish_part(state, other, met, start, end);
  if (other.open_parts == 0 && other_index != stream_index) land_elsewhere(state, other_index);
}

// True if all parts have met their partners, so that the kernel's end is known.
bool arrive_p2p(State& state, std::int32_t stream_index, const Kernel& kernel) {
  StreamState& stream = state.streams[static_cast<std::size_t>(stream_index)];
  stream.open_parts = kernel.part_count;
  stream.times_parts = kernel.part_count > 1;
  stream.flight_end = heads_of_round(stream.arrived);
  stream.flight_start_ns = -1;
  for (std::int32_t part = 0; part < kernel.part_count; ++part) {
    arrive_part(state, stream_index, kernel, kernel.first_part + part);
  }
  return stream.open_parts == 0;
}

void finish_call(StreamState& stream, const Stamp& start, const Stamp& end) {
  stream.flight_start_ns = start.time;
  stream.flight_end = end;
}

void refuse_unlike_calls(const State& state, std::int32_t kernel_index, std::int32_t waiting) {
  const std::int64_t other_index = state.streams[static_cast<std::size_t>(waiting)].flight;
  const Kernel& kernel = kernel_at(state, kernel_index);
  const Kernel& other = kernel_at(state, other_index);
  if (kernel.kind != other.kind || kernel.bytes != other.bytes ||
      kernel.duration_ns != other.duration_ns) {
    throw_call_mismatch(*state.program, kernel_index, other_index);
  }
}

// True if this member was the last to arrive.
bool arrive_collective(State& state, std::int32_t stream_index, std::int32_t kernel_index) {
  const Kernel& kernel = kernel_at(state, kernel_index);
  const auto communicator = static_cast<std::size_t>(kernel.communicator);
  CommunicatorState& call = state.communicators[communicator];
  StreamState& own = state.streams[static_cast<std::size_t>(stream_index)];
  own.flight_start_ns = -1;
  call.latest = call.arrived == 0 ? own.arrived : later(call.latest, own.arrived);
  ++call.arrived;
  const auto members = state.program->communicators[communicator].ranks.size();
  if (static_cast<std::size_t>(call.arrived) < members) {
    state.watchers[static_cast<std::size_t>(stream_index)].next = call.streams;
    call.streams = stream_index;
    return false;
  }
  const Stamp start = call.latest;
  const Stamp end = end_of_work(start, kernel.duration_ns);
  finish_call(own, start, end);
  std::int32_t waiting = call.streams;
  call = CommunicatorState{};
  while (waiting != kNobody) {
    std::int32_t& link = state.watchers[static_cast<std::size_t>(waiting)].next;
    const std::int32_t next = link;
    link = kNobody;
    refuse_unlike_calls(state, kernel_index, waiting);
    finish_call(state.streams[static_cast<std::size_t>(waiting)], start, end);
    land_elsewhere(state, waiting);
    waiting = next;
  }
  return true;
}

// True if the wait at the head is passed; else the stream is left watching the event.
bool pass_wait(State& state, std::int32_t stream_index, StreamState& stream, StreamEntry& head) {
  const std::int32_t event_index = ~head.kernel;
  Stamp completed;
  if (!event_known(state, state.events[static_cast<std::size_t>(event_index)], completed)) {
    watch_event(state, stream_index, event_index);
    return false;
  }
  const Stamp ready = later(later(head.stamp(), stream.last), completed);
  pass_head(stream, head, passing_after(ready));
  return true;
}

// True if the kernel's end is known and it is passed; else it is left in flight.
bool pass_kernel(State& state, std::int32_t stream_index, StreamState& stream, StreamEntry& head) {
  const Kernel& kernel = kernel_at(state, head.kernel);
  const Stamp ready = heads_of_round(later(head.stamp(), stream.last));
  KernelTimes& times = state.times[static_cast<std::size_t>(head.kernel)];
  times.enqueue_ns = head.time;
  times.ready_ns = ready.time;
  if (!is_communication(kernel.kind)) {
    const Stamp end = end_of_work(ready, kernel.duration_ns);
    times.start_ns = ready.time;
    times.end_ns = end.time;
    pass_head(stream, head, end);
    return true;
  }
  stream.flight = head.kernel;
  stream.arrived = ready;
  const bool known = kernel.kind == KernelKind::p2p
                         ? arrive_p2p(state, stream_index, kernel)
                         : arrive_collective(state, stream_index, head.kernel);
  if (known) land(state, stream);
  return known;
}

// With many ranks it is long until the stream comes to its next entries, and what they need has
// left the cache, or was never in it.
void fetch_ahead(const State& state, const StreamState& stream) {
  constexpr std::int32_t kAhead = 3;
  const std::int32_t position = stream.passed + kAhead;
  if (position >= stream.appended) return;
  const std::int32_t what =
      state.entries[static_cast<std::size_t>(stream.first_entry + position)].kernel;
  if (what < 0) {
    __builtin_prefetch(&state.events[static_cast<std::size_t>(~what)]);
    return;
  }
  __builtin_prefetch(&state.program->kernels[static_cast<std::size_t>(what)]);
  __builtin_prefetch(&state.times[static_cast<std::size_t>(what)], 1);
}

}  // namespace

void advance_stream(State& state, std::int32_t stream_index) {
  StreamState& stream = state.streams[static_cast<std::size_t>(stream_index)];
  while (stream.flight < 0 && stream.passed < stream.appended) {
    StreamEntry& head = state.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)];
    const bool passed = head.kernel < 0 ? pass_wait(state, stream_index, stream, head)
                                        : pass_kernel(state, stream_index, stream, head);
    fetch_ahead(state, stream);
    if (!passed) return;
    release_watchers(state, stream_index);
  }
}

}  // namespace steptwin::sim
