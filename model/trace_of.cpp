#include "model/trace_of.h"

#include <utility>

#include "model/memory_records.h"

namespace steptwin {
namespace {

// Which thread launches each kernel.
std::vector<std::int32_t> launching_threads(const Program& program) {
  std::vector<std::int32_t> threads(program.kernels.size(), 0);
  for (const RankProgram& rank : program.ranks) {
    for (std::size_t number = 0; number < rank.threads.size(); ++number) {
      for (const Command& command : rank.threads[number].commands) {
        if (command.type != CommandType::launch) continue;
        threads[static_cast<std::size_t>(command.kernel)] = static_cast<std::int32_t>(number);
      }
    }
  }
  return threads;
}

void add_parts(const Program& program, const RunTimes& times, const Kernel& kernel,
               TraceKernel& traced, std::vector<TracePart>& parts) {
  if (kernel.part_count > 1) traced.first_part = static_cast<std::int32_t>(parts.size());
  auto index = static_cast<std::size_t>(kernel.first_part);
  for (const P2pPart& part : parts_of(program, kernel)) {
    traced.peers.push_back(part.peer);
    traced.bytes += part.bytes;
    if (kernel.part_count == 1) continue;
    const TimeSpan& span = times.parts[index++];
    parts.push_back({part.step, part.stage, part.micro, span.begin_ns, span.end_ns});
  }
}

TraceKernel trace_kernel(const Program& program, const RunTimes& times, std::size_t index,
                         std::int32_t thread, std::vector<TracePart>& parts) {
  const Kernel& kernel = program.kernels[index];
  TraceKernel traced;
  traced.kernel = static_cast<std::int64_t>(index);
  traced.rank = kernel.rank;
  traced.thread = thread;
  traced.stream = kernel.stream;
  traced.kind = kernel.kind;
  traced.part = kernel.part;
  traced.direction = kernel.direction;
  traced.step = kernel.step;
  traced.stage = kernel.stage;
  traced.micro = kernel.micro;
  traced.layer = kernel.layer;
  traced.bytes = kernel.bytes;
  add_parts(program, times, kernel, traced, parts);
  traced.times = times.kernels[index];
  return traced;
}

HostRecord host_record(std::int32_t rank, std::int32_t thread, const Command& command,
                       const TimeSpan& span) {
  HostRecord record;
  record.rank = rank;
  record.thread = thread;
  record.command = command.type;
  record.role = command.role;
  record.hook = command.hook;
  record.layer = command.hook == Hook::none ? -1 : command.index;
  record.kernel = command.type == CommandType::launch ? command.kernel : -1;
  record.begin_ns = span.begin_ns;
  record.end_ns = span.end_ns;
  return record;
}

void add_host_records(const Program& program, const RunTimes& times, Trace& trace) {
  trace.host.reserve(times.commands.size());
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const std::vector<HostThread>& threads = program.ranks[rank].threads;
    for (std::size_t number = 0; number < threads.size(); ++number) {
      for (const Command& command : threads[number].commands) {
        trace.host.push_back(host_record(static_cast<std::int32_t>(rank),
                                         static_cast<std::int32_t>(number), command,
                                         times.commands[next++]));
      }
    }
  }
}

}  // namespace

Trace trace_of(const Program& program, const RunTimes& times) {
  Trace trace;
  for (const RankProgram& rank : program.ranks) {
    TraceRank traced{rank.streams, {}};
    for (const HostThread& thread : rank.threads) traced.threads.push_back(thread.name);
    trace.ranks.push_back(std::move(traced));
  }
  const std::vector<std::int32_t> threads = launching_threads(program);
  trace.kernels.reserve(times.kernels.size());
  for (std::size_t index = 0; index < times.kernels.size(); ++index) {
    trace.kernels.push_back(trace_kernel(program, times, index, threads[index], trace.parts));
  }
  trace.memory = memory_records(program, times.kernels);
  if (!times.commands.empty()) add_host_records(program, times, trace);
  return trace;
}

}  // namespace steptwin
