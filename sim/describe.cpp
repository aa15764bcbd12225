#include "sim/describe.h"

#include <fmt/format.h>

#include "model/hooks.h"

namespace steptwin::sim {
namespace {

std::string peers_text(const Program& program, const Kernel& kernel) {
  std::string text;
  for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) {
    const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(kernel.first_part + offset)];
    text += fmt::format("{} {} rank {}", offset == 0 ? "" : ",", part.is_send ? "to" : "from",
                        part.peer);
  }
  return text;
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
  if (kernel.kind == KernelKind::p2p) return step_label(kernel) + peers_text(program, kernel);
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

std::string thread_text(const State& state, const ThreadState& thread) {
  const Command& command = thread.commands[thread.position];
  std::string text =
      fmt::format("rank {} thread {} hangs in {}", thread.rank,
                  thread_name(state, thread.rank, thread.number), name_of(command.type));
  if (command.type == CommandType::rendezvous) {
    const std::string hook = hook_label({command.hook, command.index});
    if (!hook.empty()) text += " " + hook;
    text += command.role == Role::comm ? " as the COMM side" : " as the COMPUTE side";
  }
  return text;
}

bool part_waits(const State& state, const Kernel& kernel, const P2pPart& part) {
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
