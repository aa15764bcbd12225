#include "tests/sim/perturb_program.h"

#include <cstddef>
#include <utility>

namespace steptwin {
namespace {

bool is_fork_or_join(const Command& command) {
  return command.type == CommandType::fork || command.type == CommandType::join;
}

// May these two neighbours change places without breaking a rule of validation or of sizes?
bool may_swap(const Program& program, const std::vector<bool>& uniform, const Command& first,
              const Command& second) {
  if (is_fork_or_join(first) || is_fork_or_join(second)) return false;
  if (first.type == CommandType::launch && second.type == CommandType::record) {
    return second.kernel != first.kernel;
  }
  if (second.type == CommandType::launch && first.type == CommandType::record) return true;
  if (first.type != CommandType::launch || second.type != CommandType::launch) return true;
  const Kernel& one = program.kernels[static_cast<std::size_t>(first.kernel)];
  const Kernel& two = program.kernels[static_cast<std::size_t>(second.kernel)];
  return one.communicator < 0 || one.communicator != two.communicator ||
         uniform[static_cast<std::size_t>(one.communicator)];
}

void move_command(const Program& program, const std::vector<bool>& uniform,
                  std::vector<Command>& commands, Draw& draw) {
  auto position =
      static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(commands.size()) - 1));
  const bool later = draw.chance(0.5);
  for (std::int64_t left = draw.between(1, 8); left > 0; --left) {
    if (later ? position + 1 >= commands.size() : position == 0) return;
    const std::size_t first = later ? position : position - 1;
    if (!may_swap(program, uniform, commands[first], commands[first + 1])) return;
    std::swap(commands[first], commands[first + 1]);
    position = later ? position + 1 : position - 1;
  }
}

void drop_command(std::vector<Command>& commands, Draw& draw) {
  const std::int64_t position = draw.between(0, static_cast<std::int64_t>(commands.size()) - 1);
  const CommandType type = commands[static_cast<std::size_t>(position)].type;
  const bool droppable = type == CommandType::notify || type == CommandType::depart ||
                         type == CommandType::wait || type == CommandType::rendezvous;
  if (droppable) commands.erase(commands.begin() + position);
}

}  // namespace

void perturb(Program& program, const std::vector<bool>& uniform, Draw& draw) {
  for (std::int64_t left = draw.between(1, 12); left > 0; --left) {
    std::vector<HostThread>& threads =
        program
            .ranks[static_cast<std::size_t>(
                draw.between(0, static_cast<std::int64_t>(program.ranks.size()) - 1))]
            .threads;
    std::vector<Command>& commands = threads[static_cast<std::size_t>(draw.between(
                                                 0, static_cast<std::int64_t>(threads.size()) - 1))]
                                         .commands;
    if (commands.empty()) continue;
    if (draw.chance(0.85)) {
      move_command(program, uniform, commands, draw);
    } else {
      drop_command(commands, draw);
    }
  }
}

void mismatch_one(Program& program, Draw& draw) {
  std::vector<std::size_t> candidates;
  for (std::size_t id = 0; id < program.kernels.size(); ++id) {
    if (is_communication(program.kernels[id].kind)) candidates.push_back(id);
  }
  if (candidates.empty()) return;
  Kernel& kernel = program.kernels[draw.pick(candidates)];
  const std::int64_t what = draw.between(0, 2);
  if (kernel.kind == KernelKind::p2p) {
    P2pPart& part = program.p2p_parts[static_cast<std::size_t>(
        kernel.first_part + draw.between(0, kernel.part_count - 1))];
    (what == 0 ? part.bytes : part.transfer_ns) += 1;
  } else if (what == 2) {
    kernel.kind =
        kernel.kind == KernelKind::all_to_all ? KernelKind::all_reduce : KernelKind::all_to_all;
  } else {
    (what == 0 ? kernel.bytes : kernel.duration_ns) += 1;
  }
}

}  // namespace steptwin
