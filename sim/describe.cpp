#include "sim/describe.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/hooks.h"

namespace steptwin::sim {
namespace {

constexpr std::int32_t kMostPartsNamed = 8;

// "FWD_SEND(s0,m0) to rank 1"; a batch by the steps that are its parts, where it is known of which
// step each is: "BATCH_SEND_RECV[FWD_SEND(s0,m1) to rank 1|BWD_RECV(s0,m0) from rank 1]".
std::string p2p_text(const Program& program, const Kernel& kernel) {
  const auto part_at = [&](std::int32_t offset) -> const P2pPart& {
    return program.p2p_parts[static_cast<std::size_t>(kernel.first_part + offset)];
  };
  const bool names_parts = kernel.part_count > 1 && part_at(0).stage >= 0;
  std::string text = step_label(kernel) + (names_parts ? "[" : "");
  for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) {
    if (offset == kMostPartsNamed) {
      text += fmt::format(", and {} more", kernel.part_count - offset);
      break;
    }
    const P2pPart& part = part_at(offset);
    if (offset > 0) text += names_parts ? "|" : ",";
    if (names_parts) text += step_label(part.step, part.stage, part.micro);
    text += fmt::format(" {} rank {}", part.is_send ? "to" : "from", part.peer);
  }
  return text + (names_parts ? "]" : "");
}

}  // namespace

std::string stream_name(const State& state, std::int32_t stream) {
  const std::int32_t rank = state.streams[static_cast<std::size_t>(stream)].rank;
  const std::int32_t local = stream - state.ranks[static_cast<std::size_t>(rank)].first_stream;
  return state.program->ranks[static_cast<std::size_t>(rank)]
      .streams[static_cast<std::size_t>(local)];
}

std::string thread_name(const State& state, std::int32_t rank, std::int32_t number) {
  return state.program->ranks[static_cast<std::size_t>(rank)]
      .threads[static_cast<std::size_t>(number)]
      .name;
}

std::string kernel_text(const Program& program, std::int64_t index) {
  const Kernel& kernel = program.kernels[static_cast<std::size_t>(index)];
  if (kernel.kind == KernelKind::p2p) return p2p_text(program, kernel);
  std::string text = fmt::format("{} of {}", name_of(kernel.part), step_label(kernel));
  if (kernel.layer >= 0) text += fmt::format(" layer {}", layer_number(kernel.layer));
  return text;
}

std::string stream_text(const State& state, std::int32_t stream_index) {
  const StreamState& stream = state.streams[static_cast<std::size_t>(stream_index)];
  const std::int64_t head =
      state.entries[static_cast<std::size_t>(stream.first_entry + stream.passed)].kernel;
  const std::string name =
      fmt::format("rank {} stream {}", stream.rank, stream_name(state, stream_index));
  if (head >= 0) return fmt::format("{} stops at {}", name, kernel_text(*state.program, head));
  for (std::int64_t entry = stream.passed; entry < stream.appended; ++entry) {
    const std::int64_t kernel =
        state.entries[static_cast<std::size_t>(stream.first_entry + entry)].kernel;
    if (kernel >= 0) {
      return fmt::format("{} stops before {}", name, kernel_text(*state.program, kernel));
    }
  }
  return name + " stops at its end";
}

std::string thread_step(const State& state, const ThreadState& thread) {
  for (std::int32_t position = std::min(thread.position, thread.count); position-- > 0;) {
    const Command& command = thread.commands[position];
    if (command.type != CommandType::launch) continue;
    return step_label(state.program->kernels[static_cast<std::size_t>(command.kernel)]);
  }
  return "";
}

std::string thread_text(const State& state, const ThreadState& thread) {
  const Command& command = thread.commands[thread.position];
  std::string text =
      fmt::format("rank {} thread {} hangs in {}", thread.rank,
                  thread_name(state, thread.rank, thread.number), name_of(command.type));
  if (command.type == CommandType::rendezvous) {
    const std::string hook = hook_label({command.hook, command.index});
    if (!hook.empty()) text += " " + hook;
    const std::string step = thread_step(state, thread);
    if (!step.empty()) text += " of " + step;
    text += command.role == Role::comm ? " as the COMM side" : " as the COMPUTE side";
  }
  return text;
}

bool part_waits(const State& state, const Kernel& kernel, const P2pPart& part) {
  if (is_eager(*state.program, part)) return false;
  const std::int32_t sender = part.is_send ? kernel.rank : part.peer;
  const std::int32_t receiver = part.is_send ? part.peer : kernel.rank;
  const Channel* channel = find_channel(state.channels, kernel.communicator, sender, receiver);
  return channel != nullptr && channel->head >= 0 && channel->sends == part.is_send;
}

bool has_arrived(const State& state, std::int32_t communicator, std::int32_t rank) {
  std::int32_t stream = state.communicators[static_cast<std::size_t>(communicator)].streams;
  while (stream != kNobody) {
    if (state.streams[static_cast<std::size_t>(stream)].rank == rank) return true;
    stream = state.watchers[static_cast<std::size_t>(stream)].next;
  }
  return false;
}

}  // namespace steptwin::sim
