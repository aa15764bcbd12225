#include "tests/sim/program_text.h"

#include <cstddef>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace steptwin {
namespace {

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += separator;
    all += text;
  }
  return all;
}

std::string host_text(const HostCosts& host) {
  return fmt::format("host launch {} event {} rendezvous {} wake {} fork {}{}\n", host.launch_ns,
                     host.event_ns, host.rendezvous_ns, host.wake_ns, host.fork_ns,
                     host.one_launch_lock ? " one_launch_lock" : "");
}

std::string kernel_text(const Program& program, std::int32_t id) {
  const Kernel& kernel = program.kernels[static_cast<std::size_t>(id)];
  std::string text = fmt::format("k{}={}@{}", id, name_of(kernel.kind), kernel.stream);
  if (kernel.launches != 1) text += fmt::format("x{}", kernel.launches);
  if (!is_communication(kernel.kind)) return text + fmt::format("({})", kernel.duration_ns);
  text += fmt::format(" c{}", kernel.communicator);
  if (kernel.kind != KernelKind::p2p) {
    return text + fmt::format("[{}ns {}B]", kernel.duration_ns, kernel.bytes);
  }
  std::vector<std::string> parts;
  for (std::int32_t index = 0; index < kernel.part_count; ++index) {
    const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(kernel.first_part + index)];
    parts.push_back(fmt::format("{}{} {}ns {}B", part.is_send ? ">" : "<", part.peer,
                                part.transfer_ns, part.bytes));
  }
  return text + "[" + joined(parts, ", ") + "]";
}

std::string command_text(const Program& program, const RankProgram& rank, const Command& command) {
  switch (command.type) {
    case CommandType::launch:
      return kernel_text(program, command.kernel);
    case CommandType::record:
      return fmt::format("record e{}@{}", command.index, command.stream) +
             (command.kernel < 0 ? "" : fmt::format(" up to k{}", command.kernel));
    case CommandType::wait:
      return fmt::format("wait e{}@{}", command.index, command.stream);
    case CommandType::host_wait:
      return fmt::format("host_wait e{}", command.index);
    case CommandType::host_work:
      return fmt::format("host_work({})",
                         rank.host_work_ns[static_cast<std::size_t>(command.index)]);
    case CommandType::rendezvous:
    case CommandType::notify:
      return fmt::format("{} {}", name_of(command.type), name_of(command.role));
    case CommandType::depart:
      return "depart";
    case CommandType::fork:
    case CommandType::join:
      return fmt::format("{} t{}", name_of(command.type), command.index);
  }
  return "";
}

std::string contention_text(const Program& program) {
  const Contention& contention = program.contention;
  std::string text;
  if (program.eager_bytes > 0) text += fmt::format("eager {}\n", program.eager_bytes);
  if (!contention.is_on()) return text;
  text += fmt::format(
      "contention ports {} compute {} comm {} waiting {} cores {} devices {} latency {} {} cross "
      "{} ranks",
      contention.share_ports, contention.compute_loss, contention.comm_loss,
      contention.while_waiting, contention.host_cores, contention.devices,
      contention.latency_ns[kWithinNode], contention.latency_ns[kAcrossNodes],
      contention.collectives_cross_nodes);
  for (std::size_t rank = 0; rank < contention.node.size(); ++rank) {
    text += fmt::format(" n{}h{}", contention.node[rank], contention.host[rank]);
  }
  return text + "\n";
}

}  // namespace

std::string program_text(const Program& program) {
  std::string text = host_text(program.host) + contention_text(program);
  for (const Communicator& communicator : program.communicators) {
    std::vector<std::string> members;
    for (const std::int32_t rank : communicator.ranks) members.push_back(fmt::to_string(rank));
    text += communicator.name + " {" + joined(members, ",") + "}\n";
  }
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const RankProgram& rank_program = program.ranks[rank];
    text += fmt::format("rank {} streams {} events {}\n", rank, joined(rank_program.streams, "|"),
                        rank_program.events);
    for (const HostThread& thread : rank_program.threads) {
      std::vector<std::string> commands;
      for (const Command& command : thread.commands) {
        commands.push_back(command_text(program, rank_program, command));
      }
      text += fmt::format("  {}: {}\n", thread.name, joined(commands, "; "));
    }
  }
  return text;
}

}  // namespace steptwin
