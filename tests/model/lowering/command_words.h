#pragma once

#include <fmt/format.h>
#include <string>

#include "model/formats/steps_text.h"
#include "model/hooks.h"
#include "model/lowering/lower.h"
#include "model/validate.h"
#include "tests/scenarios.h"

namespace steptwin {

// The commands of a host thread in words, for tests of lowering:
//
//   FWD(s0,m0)               launch of a chunk, or of a step that has no direction;
//                            F.attention1, B.dispatch2, I., W.: of a part and its layer;
//                            FWD_SEND(s0,m0)>1, FWD_RECV(s1,m0)<0: of a transfer;
//                            BATCH_SEND_RECV>1<1: of several. @comm: its stream, unless that is
//                            compute
//   e0:comm                  record of event 0 on comm; e0:compute/F.attention1: only up to there
//   comm<e0                  comm waits for event 0; host<e0: the host does
//   A1.COMM, notify A1.COMPUTE, fork1, join1, depart
inline std::string kernel_words(const Program& program, std::int32_t id) {
  const Kernel& kernel = program.kernels[static_cast<std::size_t>(id)];
  if (kernel.kind == KernelKind::p2p) {
    std::string words = step_label(kernel);
    for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) {
      const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(kernel.first_part + offset)];
      words += fmt::format("{}{}", part.is_send ? ">" : "<", part.peer);
    }
    return words;
  }
  if (kernel.part == Part::chunk || kernel.direction == Direction::none) return step_label(kernel);
  const char side = kernel.direction == Direction::forward           ? 'F'
                    : kernel.direction == Direction::backward_input  ? 'I'
                    : kernel.direction == Direction::backward_weight ? 'W'
                                                                     : 'B';
  const std::string layer = kernel.layer < 0 ? "" : std::to_string(kernel.layer + 1);
  return fmt::format("{}.{}{}", side, name_of(kernel.part), layer);
}

inline std::string command_words(const Program& program, std::int32_t rank,
                                 const Command& command) {
  const auto stream_name = [&](std::int32_t stream) {
    return program.ranks[static_cast<std::size_t>(rank)].streams[static_cast<std::size_t>(stream)];
  };
  const auto hook_words = [&] {
    return fmt::format("{}.{}", hook_label({command.hook, command.index}),
                       command.role == Role::comm ? "COMM" : "COMPUTE");
  };
  switch (command.type) {
    case CommandType::launch: {
      const std::int32_t stream = program.kernels[static_cast<std::size_t>(command.kernel)].stream;
      return kernel_words(program, command.kernel) + (stream == 0 ? "" : "@" + stream_name(stream));
    }
    case CommandType::record:
      return fmt::format("e{}:{}", command.index, stream_name(command.stream)) +
             (command.kernel < 0 ? "" : "/" + kernel_words(program, command.kernel));
    case CommandType::wait:
      return fmt::format("{}<e{}", stream_name(command.stream), command.index);
    case CommandType::host_wait:
      return fmt::format("host<e{}", command.index);
    case CommandType::rendezvous:
      return hook_words();
    case CommandType::notify:
      return "notify " + hook_words();
    case CommandType::fork:
    case CommandType::join:
      return fmt::format("{}{}", name_of(command.type), command.index);
    case CommandType::depart:
    case CommandType::host_work:
      break;
  }
  return std::string(name_of(command.type));
}

// All of a thread, with "; " between.
inline std::string thread_words(const Program& program, std::int32_t rank,
                                std::int32_t thread = 0) {
  std::string words;
  const auto& commands = program.ranks[static_cast<std::size_t>(rank)]
                             .threads[static_cast<std::size_t>(thread)]
                             .commands;
  for (const Command& command : commands) {
    words += (words.empty() ? "" : "; ") + command_words(program, rank, command);
  }
  return words;
}

// A schedule written out; every rank must hold what its list computes. The scenario gives the
// number of stages, and everything but the order of work.
inline Program lowered(const std::string& lists, const Scenario& scenario) {
  const Schedule schedule = read_steps(lists, "test.steps");
  Program program = lower(schedule, scenario);
  validate(program);
  return program;
}

}  // namespace steptwin
