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

StreamState& stream_at(State& state, std::int32_t stream) {
  return state.streams[static_cast<std::size_t>(stream)];
}

const P2pPart& part_at(const State& state, std::int32_t part) {
  return state.program->p2p_parts[static_cast<std::size_t>(part)];
}

// The communication kernel in flight has ended: writes its times and passes it.
template <typename Ends>
void land(State& state, Ends& ends, StreamState& stream) {
  StreamEntry& head = state.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)];
  KernelTimes& times = state.times[static_cast<std::size_t>(head.kernel)];
  times.start_ns = stream.flight_start_ns;
  times.end_ns = stream.flight_end.time;
  stream.flight = -1;
  ends.kernel_ends(stream.rank, stream.flight_end.time);
  pass_head(stream, head, stream.flight_end);
}

template <typename Ends>
void land_elsewhere(State& state, Ends& ends, std::int32_t stream_index) {
  land(state, ends, stream_at(state, stream_index));
  release_watchers(state, stream_index);
  activate_stream(state, stream_index);
}

// One part of the kernel in flight on `stream` transfers from `start` on.
template <typename Ends>
void begin_part(State& state, Ends& ends, StreamState& stream, std::int32_t part,
                const Stamp& start) {
  if (stream.times_parts) {
    state.part_times[static_cast<std::size_t>(part)].begin_ns = start.time;
  }
  if (stream.flight_start_ns < 0 || start.time < stream.flight_start_ns) {
    stream.flight_start_ns = start.time;
  }
  ends.part_begins(stream.rank, start.time);
}

template <typename Ends>
void end_part(State& state, Ends& ends, StreamState& stream, std::int32_t part, const Stamp& end) {
  if (stream.times_parts) state.part_times[static_cast<std::size_t>(part)].end_ns = end.time;
  stream.flight_end = later(stream.flight_end, end);
  --stream.open_parts;
  ends.part_ends(stream.rank, end.time);
}

void queue_part(State& state, Channel& channel, std::int32_t stream, std::int32_t part,
                bool sends) {
  if (channel.head < 0) {
    channel.head = part;
    channel.stream = stream;
    channel.sends = sends;
  } else {
    state.channels.next_part[static_cast<std::size_t>(channel.tail)] = part;
  }
  channel.tail = part;
}

std::int32_t take_head(const State& state, Channel& channel) {
  const std::int32_t head = channel.head;
  channel.head = state.channels.next_part[static_cast<std::size_t>(head)];
  return head;
}

void refuse_unlike_parts(const State& state, std::int32_t part_index, std::int32_t other_index) {
  const P2pPart& part = part_at(state, part_index);
  const P2pPart& other = part_at(state, other_index);
  if (part.bytes != other.bytes || part.transfer_ns != other.transfer_ns) {
    throw_part_mismatch(*state.program, part_index, other_index);
  }
}

// The end of an eager transfer is known, and so is that of its receiver's part.
template <typename Ends>
void end_received(State& state, Ends& ends, StreamState& receiver, std::int32_t part,
                  const EagerSend& sent) {
  end_part(state, ends, receiver, part, passing_after(later(receiver.arrived, sent.end)));
}

// A receiver in flight meets an eager send, which may be long over.
template <typename Ends>
void receive_eager(State& state, Ends& ends, std::int32_t stream_index, std::int32_t part,
                   std::int32_t sent_part) {
  refuse_unlike_parts(state, part, sent_part);
  StreamState& receiver = stream_at(state, stream_index);
  EagerSend& sent = state.eager_sends[static_cast<std::size_t>(sent_part)];
  begin_part(state, ends, receiver, part, later(receiver.arrived, sent.arrived));
  if (sent.has_ended) return end_received(state, ends, receiver, part, sent);
  sent.receiver_stream = stream_index;
  sent.receiver_part = part;
}

template <typename Ends>
void send_eagerly(State& state, Ends& ends, std::int32_t stream_index, const Kernel& kernel,
                  std::int32_t part_index) {
  const P2pPart& part = part_at(state, part_index);
  StreamState& own = stream_at(state, stream_index);
  EagerSend& sent = state.eager_sends[static_cast<std::size_t>(part_index)];
  sent.arrived = own.arrived;
  begin_part(state, ends, own, part_index, own.arrived);
  if (!ends.transfer(own.arrived.time, kernel, part, {stream_index, part_index})) {
    sent.has_ended = true;
    sent.end = end_of_work(own.arrived, part.transfer_ns);
    end_part(state, ends, own, part_index, sent.end);
  }
  Channel& channel = channel_of(state.channels, kernel.communicator, kernel.rank, part.peer);
  if (channel.head < 0 || channel.sends) {
    return queue_part(state, channel, stream_index, part_index, true);
  }
  const std::int32_t part_met = take_head(state, channel);
  receive_eager(state, ends, channel.stream, part_met, part_index);
  if (stream_at(state, channel.stream).open_parts == 0) {
    land_elsewhere(state, ends, channel.stream);
  }
}

template <typename Ends>
void arrive_part(State& state, Ends& ends, std::int32_t stream_index, const Kernel& kernel,
                 std::int32_t part_index) {
  const P2pPart& part = part_at(state, part_index);
  if (is_eager(*state.program, part)) {
    return send_eagerly(state, ends, stream_index, kernel, part_index);
  }
  const std::int32_t sender = part.is_send ? kernel.rank : part.peer;
  const std::int32_t receiver = part.is_send ? part.peer : kernel.rank;
  Channel& channel = channel_of(state.channels, kernel.communicator, sender, receiver);
  if (channel.head < 0 || channel.sends == part.is_send) {
    return queue_part(state, channel, stream_index, part_index, part.is_send);
  }
  const std::int32_t met = take_head(state, channel);
  if (is_eager(*state.program, part_at(state, met))) {
    return receive_eager(state, ends, stream_index, part_index, met);
  }
  refuse_unlike_parts(state, part_index, met);
  const std::int32_t other_index = channel.stream;
  StreamState& own = stream_at(state, stream_index);
  StreamState& other = stream_at(state, other_index);
  const Stamp start = later(own.arrived, other.arrived);
  begin_part(state, ends, own, part_index, start);
  begin_part(state, ends, other, met, start);
  const WorkOwner owner{stream_index, part_index, other_index, met};
  if (ends.transfer(start.time, kernel, part, owner)) return;
  const Stamp end = end_of_work(start, part.transfer_ns);
  end_part(state, ends, own, part_index, end);
  end_part(state, ends, other, met, end);
  if (other.open_parts == 0 && other_index != stream_index) {
    land_elsewhere(state, ends, other_index);
  }
}

// True if the ends of all parts are known, and so is the kernel's.
template <typename Ends>
bool arrive_p2p(State& state, Ends& ends, std::int32_t stream_index, const Kernel& kernel) {
  StreamState& stream = stream_at(state, stream_index);
  stream.open_parts = kernel.part_count;
  stream.times_parts = kernel.part_count > 1;
  stream.flight_end = heads_of_round(stream.arrived);
  stream.flight_start_ns = -1;
  for (std::int32_t part = 0; part < kernel.part_count; ++part) {
    arrive_part(state, ends, stream_index, kernel, kernel.first_part + part);
  }
  return stream.open_parts == 0;
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

// Visits all streams that wait in the communicator's call, and takes them out of it.
template <typename Visit>
void take_call(State& state, CommunicatorState& call, Visit&& visit) {
  std::int32_t waiting = call.streams;
  call = CommunicatorState{};
  while (waiting != kNobody) {
    std::int32_t& link = state.watchers[static_cast<std::size_t>(waiting)].next;
    const std::int32_t stream = waiting;
    waiting = link;
    link = kNobody;
    visit(stream);
  }
}

// Every member has made the call. True if its end is known.
template <typename Ends>
bool begin_collective(State& state, Ends& ends, CommunicatorState& call, std::int32_t stream_index,
                      std::int32_t kernel_index) {
  const Kernel& kernel = kernel_at(state, kernel_index);
  const auto begin_member = [&](std::int32_t member) {
    refuse_unlike_calls(state, kernel_index, member);
    StreamState& stream = stream_at(state, member);
    stream.flight_start_ns = call.latest.time;
    ends.part_begins(stream.rank, stream.flight_start_ns);
  };
  begin_member(stream_index);
  for (std::int32_t member = call.streams; member != kNobody;
       member = state.watchers[static_cast<std::size_t>(member)].next) {
    begin_member(member);
  }
  return !ends.collective(call.latest.time, kernel);
}

template <typename Ends>
void end_member(State& state, Ends& ends, std::int32_t member, const Stamp& end) {
  StreamState& stream = stream_at(state, member);
  stream.flight_end = end;
  ends.part_ends(stream.rank, end.time);
}

// True if this member was the last to arrive, and the end is known.
template <typename Ends>
bool arrive_collective(State& state, Ends& ends, std::int32_t stream_index,
                       std::int32_t kernel_index) {
  const Kernel& kernel = kernel_at(state, kernel_index);
  const auto communicator = static_cast<std::size_t>(kernel.communicator);
  CommunicatorState& call = state.communicators[communicator];
  StreamState& own = stream_at(state, stream_index);
  own.flight_start_ns = -1;
  call.latest = call.arrived == 0 ? own.arrived : later(call.latest, own.arrived);
  ++call.arrived;
  const auto members = state.program->communicators[communicator].ranks.size();
  const bool complete = static_cast<std::size_t>(call.arrived) == members;
  if (!complete || !begin_collective(state, ends, call, stream_index, kernel_index)) {
    state.watchers[static_cast<std::size_t>(stream_index)].next = call.streams;
    call.streams = stream_index;
    return false;
  }
  const Stamp end = end_of_work(call.latest, kernel.duration_ns);
  end_member(state, ends, stream_index, end);
  take_call(state, call, [&](std::int32_t member) {
    end_member(state, ends, member, end);
    land_elsewhere(state, ends, member);
  });
  return true;
}

// True if the wait at the head is passed; else the stream is left watching the event. Inlined by
// order: as two evaluations use it the compiler would make it a call, at every wait of a stream.
[[gnu::always_inline]] inline bool pass_wait(State& state, std::int32_t stream_index,
                                             StreamState& stream, StreamEntry& head) {
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
template <typename Ends>
bool pass_kernel(State& state, Ends& ends, std::int32_t stream_index, StreamState& stream,
                 StreamEntry& head) {
  const Kernel& kernel = kernel_at(state, head.kernel);
  const Stamp ready = heads_of_round(later(head.stamp(), stream.last));
  KernelTimes& times = state.times[static_cast<std::size_t>(head.kernel)];
  times.enqueue_ns = head.time;
  times.ready_ns = ready.time;
  if (!is_communication(kernel.kind)) {
    times.start_ns = ready.time;
    if (ends.compute(ready.time, kernel, {stream_index})) {
      stream.flight = head.kernel;
      return false;
    }
    const Stamp end = end_of_work(ready, kernel.duration_ns);
    times.end_ns = end.time;
    pass_head(stream, head, end);
    return true;
  }
  stream.flight = head.kernel;
  stream.arrived = ready;
  ends.kernel_arrives(stream.rank, ready.time);
  const bool known = kernel.kind == KernelKind::p2p
                         ? arrive_p2p(state, ends, stream_index, kernel)
                         : arrive_collective(state, ends, stream_index, head.kernel);
  if (known) land(state, ends, stream);
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

template <typename Ends>
void advance_stream(State& state, Ends& ends, std::int32_t stream_index) {
  StreamState& stream = stream_at(state, stream_index);
  while (stream.flight < 0 && stream.passed < stream.appended) {
    StreamEntry& head = state.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)];
    const bool passed = head.kernel < 0 ? pass_wait(state, stream_index, stream, head)
                                        : pass_kernel(state, ends, stream_index, stream, head);
    fetch_ahead(state, stream);
    if (!passed) return;
    release_watchers(state, stream_index);
  }
}

template void advance_stream(State& state, KnownEnds& ends, std::int32_t stream);
template void advance_stream(State& state, SharedEnds& ends, std::int32_t stream);

namespace {

void finish_compute(State& state, std::int32_t stream_index, const Stamp& end) {
  StreamState& stream = stream_at(state, stream_index);
  StreamEntry& head = state.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)];
  state.times[static_cast<std::size_t>(head.kernel)].end_ns = end.time;
  stream.flight = -1;
  pass_head(stream, head, end);
  release_watchers(state, stream_index);
  activate_stream(state, stream_index);
}

void land_if_done(State& state, SharedEnds& ends, std::int32_t stream) {
  if (stream_at(state, stream).open_parts == 0) land_elsewhere(state, ends, stream);
}

void finish_eager(State& state, SharedEnds& ends, std::int32_t part, const Stamp& end) {
  EagerSend& sent = state.eager_sends[static_cast<std::size_t>(part)];
  sent.has_ended = true;
  sent.end = end;
  if (sent.receiver_stream == kNobody) return;
  StreamState& receiver = stream_at(state, sent.receiver_stream);
  end_received(state, ends, receiver, sent.receiver_part, sent);
  land_if_done(state, ends, sent.receiver_stream);
}

}  // namespace

void finish_work(State& state, SharedEnds& ends, const WorkOwner& owner, const Stamp& end) {
  if (owner.stream < 0) {
    return take_call(state, state.communicators[static_cast<std::size_t>(owner.part)],
                     [&](std::int32_t member) {
                       end_member(state, ends, member, end);
                       land_elsewhere(state, ends, member);
                     });
  }
  if (owner.part < 0) return finish_compute(state, owner.stream, end);
  end_part(state, ends, stream_at(state, owner.stream), owner.part, end);
  land_if_done(state, ends, owner.stream);
  if (owner.other_part < 0) return finish_eager(state, ends, owner.part, end);
  end_part(state, ends, stream_at(state, owner.other_stream), owner.other_part, end);
  land_if_done(state, ends, owner.other_stream);
}

}  // namespace steptwin::sim
