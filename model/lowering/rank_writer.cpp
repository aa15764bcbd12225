#include "model/lowering/rank_writer.h"

#include <fmt/format.h>

namespace steptwin {

RankWriter::RankWriter(Program& program, std::int32_t rank) : program_(program), rank_(rank) {
  program_.ranks[static_cast<std::size_t>(rank)].threads.push_back({"main", {}});
}

std::int32_t RankWriter::new_backward_thread() {
  std::vector<HostThread>& threads = program_.ranks[static_cast<std::size_t>(rank_)].threads;
  const auto number = static_cast<std::int32_t>(threads.size());
  threads.push_back({fmt::format("backward.{}", number), {}});
  return number;
}

void RankWriter::add(const Command& command) {
  program_.ranks[static_cast<std::size_t>(rank_)]
      .threads[static_cast<std::size_t>(thread_)]
      .commands.push_back(command);
}

std::int32_t RankWriter::launch(const Kernel& kernel) {
  const auto id = static_cast<std::int32_t>(program_.kernels.size());
  program_.kernels.push_back(kernel);
  program_.kernels.back().rank = rank_;
  Command command;
  command.type = CommandType::launch;
  command.kernel = id;
  command.stream = kernel.stream;
  command.index = kernel.launches;
  add(command);
  return id;
}

std::int32_t RankWriter::launch_p2p(Kernel kernel, const std::vector<P2pPart>& parts) {
  kernel.kind = KernelKind::p2p;
  kernel.first_part = static_cast<std::int32_t>(program_.p2p_parts.size());
  kernel.part_count = static_cast<std::int32_t>(parts.size());
  program_.p2p_parts.insert(program_.p2p_parts.end(), parts.begin(), parts.end());
  return launch(kernel);
}

std::int32_t RankWriter::record(std::int32_t stream, std::int32_t kernel) {
  Command command;
  command.type = CommandType::record;
  command.stream = stream;
  command.index = program_.ranks[static_cast<std::size_t>(rank_)].events++;
  command.kernel = kernel;
  add(command);
  return command.index;
}

void RankWriter::wait(std::int32_t stream, std::int32_t event) {
  Command command;
  command.type = CommandType::wait;
  command.stream = stream;
  command.index = event;
  add(command);
}

void RankWriter::host_wait(std::int32_t event) {
  Command command;
  command.type = CommandType::host_wait;
  command.index = event;
  add(command);
}

void RankWriter::host_work(TimeNs duration) {
  std::vector<TimeNs>& durations = program_.ranks[static_cast<std::size_t>(rank_)].host_work_ns;
  Command command;
  command.type = CommandType::host_work;
  command.index = static_cast<std::int32_t>(durations.size());
  durations.push_back(duration);
  add(command);
}

void RankWriter::rendezvous(Role role, Hook hook, std::int32_t layer) {
  Command command;
  command.type = CommandType::rendezvous;
  command.role = role;
  command.hook = hook;
  command.index = layer;
  add(command);
}

void RankWriter::notify(Role role, Hook hook, std::int32_t layer) {
  Command command;
  command.type = CommandType::notify;
  command.role = role;
  command.hook = hook;
  command.index = layer;
  add(command);
}

void RankWriter::depart() {
  Command command;
  command.type = CommandType::depart;
  add(command);
}

void RankWriter::fork(std::int32_t thread) {
  Command command;
  command.type = CommandType::fork;
  command.index = thread;
  add(command);
}

void RankWriter::join(std::int32_t thread) {
  Command command;
  command.type = CommandType::join;
  command.index = thread;
  add(command);
}

}  // namespace steptwin
