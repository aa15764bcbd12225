#include "tests/sim/program_writer.h"

#include <cstddef>
#include <fmt/format.h>

namespace steptwin {
namespace {

P2pPart part(bool is_send, std::int32_t peer, Bytes bytes, TimeNs transfer_ns) {
  return P2pPart{.is_send = is_send, .peer = peer, .bytes = bytes, .transfer_ns = transfer_ns};
}

}  // namespace

std::int32_t ThreadWriter::compute(std::int32_t stream, TimeNs duration_ns) {
  Kernel kernel;
  kernel.stream = stream;
  kernel.duration_ns = duration_ns;
  return launch(kernel);
}

std::int32_t ThreadWriter::copy(std::int32_t stream, TimeNs duration_ns) {
  Kernel kernel;
  kernel.stream = stream;
  kernel.kind = KernelKind::copy;
  kernel.part = Part::offload;
  kernel.duration_ns = duration_ns;
  return launch(kernel);
}

std::int32_t ThreadWriter::send(std::int32_t stream, std::int32_t communicator, std::int32_t peer,
                                TimeNs transfer_ns, Bytes bytes) {
  return p2p(stream, communicator, {part(true, peer, bytes, transfer_ns)});
}

std::int32_t ThreadWriter::recv(std::int32_t stream, std::int32_t communicator, std::int32_t peer,
                                TimeNs transfer_ns, Bytes bytes) {
  return p2p(stream, communicator, {part(false, peer, bytes, transfer_ns)});
}

std::int32_t ThreadWriter::p2p(std::int32_t stream, std::int32_t communicator,
                               const std::vector<P2pPart>& parts) {
  Kernel kernel;
  kernel.stream = stream;
  kernel.kind = KernelKind::p2p;
  kernel.part = Part::p2p;
  kernel.step = parts.front().is_send ? StepType::fwd_send : StepType::fwd_recv;
  kernel.communicator = communicator;
  kernel.part_count = static_cast<std::int32_t>(parts.size());
  kernel.first_part = static_cast<std::int32_t>(program_->p2p_parts.size());
  program_->p2p_parts.insert(program_->p2p_parts.end(), parts.begin(), parts.end());
  return launch(kernel);
}

std::int32_t ThreadWriter::collective(std::int32_t stream, std::int32_t communicator,
                                      KernelKind kind, TimeNs duration_ns, Bytes bytes) {
  Kernel kernel;
  kernel.stream = stream;
  kernel.kind = kind;
  kernel.part = Part::dispatch;
  kernel.communicator = communicator;
  kernel.duration_ns = duration_ns;
  kernel.bytes = bytes;
  return launch(kernel);
}

std::int32_t ThreadWriter::launch(Kernel kernel) {
  const auto id = static_cast<std::int32_t>(program_->kernels.size());
  kernel.rank = rank_;
  kernel.stage = rank_;
  kernel.micro = id;
  program_->kernels.push_back(kernel);
  commands().push_back({.type = CommandType::launch,
                        .stream = kernel.stream,
                        .index = kernel.launches,
                        .kernel = id});
  return id;
}

std::int32_t ThreadWriter::new_event() {
  return rank_program().events++;
}

std::int32_t ThreadWriter::record(std::int32_t stream) {
  const std::int32_t event = new_event();
  record_event(event, stream);
  return event;
}

void ThreadWriter::record_event(std::int32_t event, std::int32_t stream, std::int32_t kernel) {
  commands().push_back(
      {.type = CommandType::record, .stream = stream, .index = event, .kernel = kernel});
}

void ThreadWriter::wait(std::int32_t stream, std::int32_t event) {
  commands().push_back({.type = CommandType::wait, .stream = stream, .index = event});
}

void ThreadWriter::host_wait(std::int32_t event) {
  commands().push_back({.type = CommandType::host_wait, .index = event});
}

void ThreadWriter::host_work(TimeNs duration_ns) {
  std::vector<TimeNs>& durations = rank_program().host_work_ns;
  commands().push_back(
      {.type = CommandType::host_work, .index = static_cast<std::int32_t>(durations.size())});
  durations.push_back(duration_ns);
}

void ThreadWriter::rendezvous(Role role) {
  commands().push_back({.type = CommandType::rendezvous, .role = role});
}

void ThreadWriter::notify(Role role) {
  commands().push_back({.type = CommandType::notify, .role = role});
}

void ThreadWriter::depart() {
  commands().push_back({.type = CommandType::depart});
}

ThreadWriter ThreadWriter::fork() {
  std::vector<HostThread>& threads = rank_program().threads;
  const auto forked = static_cast<std::int32_t>(threads.size());
  threads.push_back({.name = fmt::format("backward.{}", forked), .commands = {}});
  commands().push_back({.type = CommandType::fork, .index = forked});
  return ThreadWriter(*program_, rank_, forked);
}

void ThreadWriter::join(const ThreadWriter& forked) {
  commands().push_back({.type = CommandType::join, .index = forked.thread()});
}

std::vector<Command>& ThreadWriter::commands() {
  return rank_program().threads[static_cast<std::size_t>(thread_)].commands;
}

RankProgram& ThreadWriter::rank_program() {
  return program_->ranks[static_cast<std::size_t>(rank_)];
}

Program empty_program(std::int32_t ranks, const std::vector<std::string>& streams) {
  Program program;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    RankProgram rank_program;
    rank_program.streams = streams;
    rank_program.threads.push_back({.name = "main", .commands = {}});
    program.ranks.push_back(rank_program);
  }
  return program;
}

std::int32_t add_communicator(Program& program, const std::vector<std::int32_t>& ranks) {
  const auto index = static_cast<std::int32_t>(program.communicators.size());
  program.communicators.push_back({.name = fmt::format("c{}", index), .ranks = ranks});
  return index;
}

}  // namespace steptwin
