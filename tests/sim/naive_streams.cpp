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
        begin_kernel(state, id);
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

const P2pPart& part_of(const State& state, const ArrivedPart& arrived) {
  return state.program
      ->p2p_parts[at(state.program->kernels[at(arrived.kernel)].first_part + arrived.part)];
}

bool has_begun(const State& state, const ArrivedPart& arrived) {
  return state.kernels[at(arrived.kernel)].part_starts_ns[at(arrived.part)] != kNever;
}

bool begin_eager_sends(State& state, const Lane& lane) {
  bool changed = false;
  for (const ArrivedPart& send : lane.sends) {
    if (part_of(state, send).bytes > state.program->eager_bytes || has_begun(state, send)) continue;
    begin_transfer(state, send, std::nullopt);
    changed = true;
  }
  return changed;
}

bool begin_transfers(State& state) {
  bool changed = false;
  for (auto& [key, lane] : state.lanes) {
    if (state.program->eager_bytes > 0 && begin_eager_sends(state, lane)) changed = true;
    while (lane.begun < std::min(lane.sends.size(), lane.receives.size())) {
      const ArrivedPart& send = lane.sends[lane.begun];
      const ArrivedPart& receive = lane.receives[lane.begun];
      check_match(*state.program, send, receive);
      if (has_begun(state, send)) {
        receive_eagerly(state, send, receive);
      } else {
        begin_transfer(state, send, receive);
      }
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
      std::vector<std::int32_t> call;
      for (const std::vector<std::int32_t>& kernels : calls.of_member) {
        call.push_back(kernels[calls.begun]);
        check_call(*state.program, call.front(), call.back());
      }
      begin_call(state, call);
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
  end_works(state);
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
