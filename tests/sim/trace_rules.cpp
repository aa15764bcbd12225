#include "tests/sim/trace_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "tests/sim/trace_rules_parts.h"

namespace steptwin {
namespace {

using trace_rules::Launch;
using trace_rules::Run;
using trace_rules::StreamOrder;

void check_own_times(Run& run);
void order_streams(Run& run);
void check_streams(Run& run);

}  // namespace

std::vector<std::string> broken_rules(const Program& program,
                                      const std::vector<KernelTimes>& times) {
  Run run{.program = program, .times = times, .orders = {}, .broken = {}};
  if (times.size() != program.kernels.size()) return {"there are times for every kernel"};
  check_own_times(run);
  order_streams(run);
  check_streams(run);
  if (!run.broken.empty()) return run.broken;  // what follows builds on the order
  trace_rules::check_matching(run);
  trace_rules::check_host_and_waits(run);
  return run.broken;
}

namespace {

void check_own_times(Run& run) {
  for (std::size_t id = 0; id < run.times.size(); ++id) {
    const KernelTimes& times = run.times[id];
    const Kernel& kernel = run.program.kernels[id];
    if (times.enqueue_ns < 0) run.broken.push_back(fmt::format("kernel {} was never enqueued", id));
    if (times.enqueue_ns > times.ready_ns || times.ready_ns > times.start_ns ||
        times.start_ns > times.end_ns) {
      run.broken.push_back(fmt::format("kernel {}: enqueue {} <= ready {} <= start {} <= end {}",
                                       id, times.enqueue_ns, times.ready_ns, times.start_ns,
                                       times.end_ns));
    }
    if (is_communication(kernel.kind)) continue;
    if (times.start_ns != times.ready_ns) {
      run.broken.push_back(fmt::format("kernel {} starts when it is ready", id));
    }
    if (times.end_ns - times.start_ns != kernel.duration_ns) {
      run.broken.push_back(fmt::format("kernel {} takes {} ns, not {}", id, kernel.duration_ns,
                                       times.end_ns - times.start_ns));
    }
  }
}

void order_streams(Run& run) {
  for (const RankProgram& rank : run.program.ranks) {
    std::vector<StreamOrder>& streams = run.orders.emplace_back();
    streams.resize(rank.streams.size());
    for (std::size_t thread = 0; thread < rank.threads.size(); ++thread) {
      const std::vector<Command>& commands = rank.threads[thread].commands;
      for (std::size_t position = 0; position < commands.size(); ++position) {
        const Command& command = commands[position];
        if (command.type != CommandType::launch) continue;
        streams[static_cast<std::size_t>(run.kernel(command.kernel).stream)].launches.push_back(
            {command.kernel, static_cast<std::int32_t>(thread), position});
      }
    }
    const auto appended = [&](const Launch& launch) {
      const KernelTimes& times = run.of(launch.kernel);
      return std::make_tuple(times.enqueue_ns, times.ready_ns, times.end_ns);
    };
    for (StreamOrder& stream : streams) {
      // Stable: one thread's launches stay in its order where times do not tell them apart.
      std::stable_sort(
          stream.launches.begin(), stream.launches.end(),
          [&](const Launch& one, const Launch& two) { return appended(one) < appended(two); });
      for (std::size_t index = 1; index < stream.launches.size(); ++index) {
        const Launch& one = stream.launches[index - 1];
        const Launch& two = stream.launches[index];
        if (one.thread != two.thread && appended(one) == appended(two)) stream.certain = false;
      }
    }
  }
}

void check_streams(Run& run) {
  for (std::size_t rank = 0; rank < run.orders.size(); ++rank) {
    for (const StreamOrder& stream : run.orders[rank]) {
      std::vector<std::int64_t> last_position(run.program.ranks[rank].threads.size(), -1);
      for (std::size_t index = 0; index < stream.launches.size(); ++index) {
        const Launch& launch = stream.launches[index];
        std::int64_t& last = last_position[static_cast<std::size_t>(launch.thread)];
        if (static_cast<std::int64_t>(launch.position) < last) {
          run.broken.push_back(
              fmt::format("kernel {} is overtaken by a launch of its own thread", launch.kernel));
        }
        last = static_cast<std::int64_t>(launch.position);
        if (index == 0) continue;
        const std::int32_t before = stream.launches[index - 1].kernel;
        if (run.of(before).end_ns > run.of(launch.kernel).ready_ns) {
          run.broken.push_back(fmt::format(
              "kernel {} is ready at {}, before kernel {} ahead of it ends at {}", launch.kernel,
              run.of(launch.kernel).ready_ns, before, run.of(before).end_ns));
        }
      }
    }
  }
}

}  // namespace
}  // namespace steptwin
