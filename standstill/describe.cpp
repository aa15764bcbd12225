#include "standstill/describe.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/hooks.h"

namespace steptwin {
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

std::string stream_name(const Program& program, std::int32_t rank, std::int32_t stream) {
  return program.ranks[static_cast<std::size_t>(rank)].streams[static_cast<std::size_t>(stream)];
}

std::string thread_name(const Program& program, std::int32_t rank, std::int32_t number) {
  return program.ranks[static_cast<std::size_t>(rank)]
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

std::string stream_text(const Standstill& standstill, std::int32_t rank, std::int32_t index) {
  const Program& program = *standstill.program;
  const StoppedStream& stream = standstill.stream(rank, index);
  const std::string name =
      fmt::format("rank {} stream {}", rank, stream_name(program, rank, index));
  const auto head = stream.entries.begin() + stream.passed;
  if (*head >= 0) return fmt::format("{} stops at {}", name, kernel_text(program, *head));
  const auto is_kernel = [](std::int32_t entry) { return entry >= 0; };
  const auto next = std::find_if(head, stream.entries.end(), is_kernel);
  if (next == stream.entries.end()) return name + " stops at its end";
  return fmt::format("{} stops before {}", name, kernel_text(program, *next));
}

std::string thread_step(const Standstill& standstill, std::int32_t rank, std::int32_t number) {
  const std::vector<Command>& commands = standstill.commands(rank, number);
  const auto count = static_cast<std::int32_t>(commands.size());
  std::int32_t position = std::min(standstill.thread(rank, number).position, count);
  while (position-- > 0) {
    const Command& command = commands[static_cast<std::size_t>(position)];
    if (command.type != CommandType::launch) continue;
    return step_label(standstill.program->kernels[static_cast<std::size_t>(command.kernel)]);
  }
  return "";
}

std::string thread_text(const Standstill& standstill, std::int32_t rank, std::int32_t number) {
  const StoppedThread& thread = standstill.thread(rank, number);
  const Command& command =
      standstill.commands(rank, number)[static_cast<std::size_t>(thread.position)];
  std::string text =
      fmt::format("rank {} thread {} hangs in {}", rank,
                  thread_name(*standstill.program, rank, number), name_of(command.type));
  if (command.type == CommandType::rendezvous) {
    const std::string hook = hook_label({command.hook, command.index});
    if (!hook.empty()) text += " " + hook;
    const std::string step = thread_step(standstill, rank, number);
    if (!step.empty()) text += " of " + step;
    text += command.role == Role::comm ? " as the COMM side" : " as the COMPUTE side";
  }
  return text;
}

}  // namespace steptwin
