#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "model/error.h"
#include "tests/sim/naive_state.h"

namespace steptwin::naive {
namespace {

bool end_kernels(State& state) {
  bool changed = false;
  for (RankState& rank : state.ranks) {
    for (StreamState& stream : rank.streams) {
      if (stream.passed == stream.entries.size() || stream.entries[stream.passed].is_wait) continue;
      KernelState& kernel = state.kernels[at(stream.entries[stream.passed].index)];
      if (kernel.end_ns == kNever || kernel.end_ns > state.now_ns) continue;
      kernel.times.end_ns = kernel.end_ns;
      ++stream.passed;
      changed = true;
    }
  }
  return changed;
}

bool pass_one_wait_per_stream(RankState& rank) {
  bool changed = false;
  for (StreamState& stream : rank.streams) {
    if (stream.passed == stream.entries.size()) continue;
    const StreamEntry& head = stream.entries[stream.passed];
    if (!head.is_wait || rank.events[at(head.index)].complete_ns == kNever) continue;
    ++stream.passed;
    changed = true;
  }
  return changed;
}

void arrive_parts(State& state, std::int32_t id) {
  const Kernel& kernel = state.program->kernels[at(id)];
  state.kernels[at(id)].part_starts_ns.assign(at(kernel.part_count), kNever);
  state.kernels[at(id)].part_ends_ns.assign(at(kernel.part_count), kNever);
  for (std::int32_t index = 0; index < kernel.part_count; ++index) {
    const P2pPart& part = state.program->p2p_parts[at(kernel.first_part + index)];
    if (part.is_send) {
      state.lanes[{kernel.communicator, kernel.rank, part.peer}].sends.push_back({id, index});
    } else {
      state.lanes[{kernel.communicator, part.peer, kernel.rank}].receives.push_back({id, index});
    }
  }
}

void arrive_call(State& state, std::int32_t id) {
  const Kernel& kernel = state.program->kernels[at(id)];
  const std::vector<std::int32_t>& members =
      state.program->communicators[at(kernel.communicator)].ranks;
  for (std::size_t member = 0; member < members.size(); ++member) {
    if (members[member] != kernel.rank) continue;
    state.collectives[at(kernel.communicator)].of_member[member].push_back(id);
  }
}

bool ready_heads(State& state) {
  bool changed = false;
  for (RankState& rank : state.ranks) {
    for (StreamState& stream : rank.streams) {
      if (stream.passed == stream.entries.size() || stream.entries[stream.passed].is_wait) continue;
      const std::int32_t id = stream.entries[stream.passed].index;
      const Kernel& kernel = state.program->kernels[at(id)];
      KernelState& kernel_state = state.kernels[at(id)];
      if (kernel_state.times.ready_ns != kNever) continue;
      changed = true;
      kernel_state.times.ready_ns = state.now_ns;
      if (kernel.kind == KernelKind::p2p) {
        arrive_parts(state, id);
      } else if (is_collective(kernel.kind)) {
        arrive_call(state, id);
      } else {
        kernel_state.times.start_ns = state.now_ns;
        kernel_state.end_ns = state.now_ns + kernel.duration_ns;
      }
    }
  }
  return changed;
}

std::string call_text(const Program& program, std::int32_t id, std::string_view what, Bytes bytes,
                      TimeNs duration_ns) {
  const Kernel& kernel = program.kernels[at(id)];
  return fmt::format("{} of {} bytes in {} ns by kernel {} ({}) on rank {}", what, bytes,
                     duration_ns, id, step_label(kernel), kernel.rank);
}

void check_match(const Program& program, const ArrivedPart& send, const ArrivedPart& receive) {
  const auto part_of = [&](const ArrivedPart& arrived) {
    return program.p2p_parts[at(program.kernels[at(arrived.kernel)].first_part + arrived.part)];
  };
  const P2pPart sent = part_of(send);
  const P2pPart received = part_of(receive);
  if (sent.bytes == received.bytes && sent.transfer_ns == received.transfer_ns) return;
  throw Error(
      call_text(program, send.kernel, "send", sent.bytes, sent.transfer_ns) + " meets " +
          call_text(program, receive.kernel, "receive", received.bytes, received.transfer_ns),
      "both ends alike");
}

void check_call(const Program& program, std::int32_t lowest, std::int32_t other) {
  const Kernel& one = program.kernels[at(lowest)];
  const Kernel& two = program.kernels[at(other)];
  if (one.kind == two.kind && one.bytes == two.bytes && one.duration_ns == two.duration_ns) return;
  throw Error(call_text(program, lowest, name_of(one.kind), one.bytes, one.duration_ns) +
                  " meets " +
                  call_text(program, other, name_of(two.kind), two.bytes, two.duration_ns),
              "all members alike");
}

void begin_transfer(State& state, const ArrivedPart& arrived, TimeNs transfer_ns) {
  KernelState& kernel = state.kernels[at(arrived.kernel)];
  if (kernel.times.start_ns == kNever) kernel.times.start_ns = state.now_ns;
  kernel.part_starts_ns[at(arrived.part)] = state.now_ns;
  kernel.part_ends_ns[at(arrived.part)] = state.now_ns + transfer_ns;
  const auto [first, last] =
      std::minmax_element(kernel.part_ends_ns.begin(), kernel.part_ends_ns.end());
  if (*first != kNever) kernel.end_ns = *last;
}

bool begin_transfers(State& state) {
  bool changed = false;
  for (auto& [key, lane] : state.lanes) {
    while (lane.begun < std::min(lane.sends.size(), lane.receives.size())) {
      const ArrivedPart& send = lane.sends[lane.begun];
      const ArrivedPart& receive = lane.receives[lane.begun];
      check_match(*state.program, send, receive);
      const Kernel& sender = state.program->kernels[at(send.kernel)];
      const TimeNs transfer_ns =
          state.program->p2p_parts[at(sender.first_part + send.part)].transfer_ns;
      begin_transfer(state, send, transfer_ns);
      begin_transfer(state, receive, transfer_ns);
      ++lane.begun;
      changed = true;
    }
  }
  return changed;
}

bool everyone_called(const CollectiveCalls& calls) {
  return std::all_of(calls.of_member.begin(), calls.of_member.end(),
                     [&](const auto& kernels) { return kernels.size() > calls.begun; });
}

bool begin_collectives(State& state) {
  bool changed = false;
  for (CollectiveCalls& calls : state.collectives) {
    while (!calls.of_member.empty() && everyone_called(calls)) {
      const std::int32_t lowest = calls.of_member[0][calls.begun];
      for (const std::vector<std::int32_t>& kernels : calls.of_member) {
        const std::int32_t id = kernels[calls.begun];
        check_call(*state.program, lowest, id);
        state.kernels[at(id)].times.start_ns = state.now_ns;
        state.kernels[at(id)].end_ns =
            state.now_ns + state.program->kernels[at(lowest)].duration_ns;
      }
      ++calls.begun;
      changed = true;
    }
  }
  return changed;
}

}  // namespace

void note_complete_events(State& state, std::int32_t rank) {
  RankState& rank_state = state.ranks[at(rank)];
  for (EventState& event : rank_state.events) {
    if (event.stream < 0 || event.complete_ns != kNever) continue;
    if (rank_state.streams[at(event.stream)].passed >= event.covers) {
      event.complete_ns = state.now_ns;
    }
  }
}

bool end_kernels_and_pass_waits(State& state) {
  bool changed = end_kernels(state);
  bool passing = true;
  while (passing) {
    passing = false;
    for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
      note_complete_events(state, static_cast<std::int32_t>(rank));
      if (pass_one_wait_per_stream(state.ranks[rank])) passing = true;
    }
    changed = changed || passing;
  }
  return changed;
}

bool start_kernels(State& state) {
  bool changed = ready_heads(state);
  if (begin_transfers(state)) changed = true;
  if (begin_collectives(state)) changed = true;
  return changed;
}

}  // namespace steptwin::naive
