#include "hw/calibrate/chain.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "hw/executor.h"
#include "hw/host/job.h"

namespace steptwin::hw {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

// Writes the commands of two ranks, each with a stream for compute and one for communication.
class ChainWriter {
 public:
  ChainWriter() {
    program_.communicators.push_back({"pair", {0, 1}});
    for (RankProgram& rank : program_.ranks) {
      rank.streams = {"compute", "comm"};
      rank.threads.push_back({"main", {}});
    }
  }

  // Compute kernel number `micro` of the rank, after what its comm stream has so far.
  void compute(std::int32_t rank, std::int32_t micro, TimeNs duration_ns) {
    if (micro > 0) order(rank, kComm, kCompute);
    Kernel kernel = kernel_on(rank, kCompute, micro);
    kernel.duration_ns = duration_ns;
    launch(kernel);
  }

  void transfer(std::int32_t rank, std::int32_t micro, bool is_send, Bytes bytes) {
    if (is_send) order(rank, kCompute, kComm);
    Kernel kernel = kernel_on(rank, kComm, micro);
    kernel.kind = KernelKind::p2p;
    kernel.part = Part::p2p;
    kernel.step = is_send ? StepType::fwd_send : StepType::fwd_recv;
    kernel.stage = is_send ? micro : micro + 1;
    kernel.communicator = 0;
    kernel.first_part = static_cast<std::int32_t>(program_.p2p_parts.size());
    kernel.part_count = 1;
    program_.p2p_parts.push_back({is_send, kernel.step, 1 - rank, kernel.stage, micro, bytes, 0});
    launch(kernel);
  }

  void all_to_all(std::int32_t rank, std::int32_t micro, Bytes bytes) {
    order(rank, kCompute, kComm);
    Kernel kernel = kernel_on(rank, kComm, micro);
    kernel.kind = KernelKind::all_to_all;
    kernel.stage = 0;  // the same call at both
    kernel.part = Part::dispatch;
    kernel.communicator = 0;
    kernel.bytes = bytes;
    launch(kernel);
  }

  Program take() { return std::move(program_); }

 private:
  static Kernel kernel_on(std::int32_t rank, std::int32_t stream, std::int32_t micro) {
    Kernel kernel;
    kernel.rank = rank;
    kernel.stream = stream;
    kernel.stage = rank;
    kernel.micro = micro;
    return kernel;
  }

  std::vector<Command>& commands(std::int32_t rank) {
    return program_.ranks[static_cast<std::size_t>(rank)].threads[0].commands;
  }

  void order(std::int32_t rank, std::int32_t before, std::int32_t after) {
    std::int32_t& events = program_.ranks[static_cast<std::size_t>(rank)].events;
    commands(rank).push_back({CommandType::record, Role::comm, Hook::none, before, events, -1});
    commands(rank).push_back({CommandType::wait, Role::comm, Hook::none, after, events, -1});
    ++events;
  }

  void launch(const Kernel& kernel) {
    const auto index = static_cast<std::int32_t>(program_.kernels.size());
    program_.kernels.push_back(kernel);
    commands(kernel.rank)
        .push_back({CommandType::launch, Role::comm, Hook::none, kernel.stream, 1, index});
  }

  Program program_ = [] {
    Program program;
    program.ranks.resize(2);
    return program;
  }();
};

}  // namespace

Program transfer_chain(int hops, TimeNs compute_ns, Bytes bytes) {
  ChainWriter writer;
  for (std::int32_t hop = 0; hop < hops; ++hop) {
    const std::int32_t rank = hop % 2;
    writer.compute(rank, hop, compute_ns);
    writer.transfer(rank, hop, true, bytes);
    writer.transfer(1 - rank, hop, false, bytes);
  }
  writer.compute(hops % 2, hops, compute_ns);
  return writer.take();
}

Program collective_chain(int calls, TimeNs compute_ns, Bytes bytes) {
  ChainWriter writer;
  for (std::int32_t call = 0; call < calls; ++call) {
    for (const std::int32_t rank : {0, 1}) {
      writer.compute(rank, call, compute_ns);
      writer.all_to_all(rank, call, bytes);
    }
  }
  for (const std::int32_t rank : {0, 1}) writer.compute(rank, calls, compute_ns);
  return writer.take();
}

std::vector<double> handovers(const Trace& trace) {
  struct Instants {
    TimeNs first_start = -1;
    TimeNs last_end = 0;
  };
  std::map<std::int32_t, Instants> by_micro;  // of the compute kernels
  for (const TraceKernel& kernel : trace.kernels) {
    if (kernel.kind != KernelKind::compute) continue;
    Instants& instants = by_micro[kernel.micro];
    const TimeNs start = kernel.times.start_ns;
    const bool is_first = instants.first_start < 0 || start < instants.first_start;
    if (is_first) instants.first_start = start;
    instants.last_end = std::max(instants.last_end, kernel.times.end_ns);
  }
  constexpr double kSecond = 1e-9;
  std::vector<double> seconds;
  for (const auto& [micro, instants] : by_micro) {
    const auto next = by_micro.find(micro + 1);
    if (next == by_micro.end()) break;
    const TimeNs between = next->second.first_start - instants.last_end;
    seconds.push_back(static_cast<double>(std::max<TimeNs>(between, 1)) * kSecond);
  }
  return seconds;
}

std::vector<Trace> traces_of(const Program& program, int rounds) {
  Stop stop;
  HostJob job(program, {}, stop);
  RunOptions options;
  options.repeat = rounds;
  auto outcome = execute(program, job, stop, options);
  if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) {
    throw MachineError("a measurement hangs: " + deadlock->cycle_text);
  }
  return std::move(std::get<Run>(outcome).traces);
}

}  // namespace steptwin::hw
