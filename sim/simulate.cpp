#include "sim/simulate.h"

#include <utility>

#include "model/memory_records.h"
#include "sim/deadlock.h"
#include "sim/engine.h"

namespace steptwin::sim {
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

void add_parts(const State& state, const Kernel& kernel, TraceKernel& traced,
               std::vector<TracePart>& parts) {
  if (kernel.part_count > 1) traced.first_part = static_cast<std::int32_t>(parts.size());
  for (std::int32_t offset = 0; offset < kernel.part_count; ++offset) {
    const auto index = static_cast<std::size_t>(kernel.first_part + offset);
    const P2pPart& part = state.program->p2p_parts[index];
    traced.peers.push_back(part.peer);
    traced.bytes += part.bytes;
    if (kernel.part_count == 1) continue;
    const PartTimes& times = state.part_times[index];
    parts.push_back({part.step, part.stage, part.micro, times.start_ns, times.end_ns});
  }
}

TraceKernel trace_kernel(const State& state, std::size_t index, std::int32_t thread,
                         std::vector<TracePart>& parts) {
  const Kernel& kernel = state.program->kernels[index];
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
  add_parts(state, kernel, traced, parts);
  traced.times = state.times[index];
  return traced;
}

HostRecord host_record(const ThreadState& thread, const Command& command,
                       const CommandTimes& times) {
  HostRecord record;
  record.rank = thread.rank;
  record.thread = thread.number;
  record.command = command.type;
  record.role = command.role;
  record.hook = command.hook;
  record.layer = command.hook == Hook::none ? -1 : command.index;
  record.kernel = command.type == CommandType::launch ? command.kernel : -1;
  record.begin_ns = times.begin_ns;
  record.end_ns = times.end_ns;
  return record;
}

Trace make_trace(const State& state) {
  Trace trace;
  for (const RankProgram& rank : state.program->ranks) {
    TraceRank traced{rank.streams, {}};
    for (const HostThread& thread : rank.threads) traced.threads.push_back(thread.name);
    trace.ranks.push_back(std::move(traced));
  }
  const std::vector<std::int32_t> threads = launching_threads(*state.program);
  trace.kernels.reserve(state.times.size());
  for (std::size_t index = 0; index < state.times.size(); ++index) {
    trace.kernels.push_back(trace_kernel(state, index, threads[index], trace.parts));
  }
  trace.memory = memory_records(*state.program, state.times);
  trace.host.reserve(state.records.size());
  if (state.records.empty()) return trace;
  for (const ThreadState& thread : state.threads) {
    for (std::int32_t position = 0; position < thread.count; ++position) {
      trace.host.push_back(
          host_record(thread, thread.commands[position],
                      state.records[static_cast<std::size_t>(thread.first_record + position)]));
    }
  }
  return trace;
}

}  // namespace

std::variant<Trace, Deadlock> simulate(const Program& program, const Options& options) {
  const State state = evaluate(program, options.host_records);
  if (!finished(state)) return explain_deadlock(state);
  return make_trace(state);
}

}  // namespace steptwin::sim
