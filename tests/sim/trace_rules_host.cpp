#include <algorithm>
#include <fmt/format.h>

#include "tests/sim/trace_rules_parts.h"

namespace steptwin::trace_rules {
namespace {

struct RecordPlace {
  std::int32_t thread = -1;
  std::size_t position = 0;
  std::int32_t stream = 0;
  std::int32_t kernel = -1;
};

// What is known about one rank: earliest possible times, raised until nothing more follows.
struct Bounds {
  std::int32_t rank = 0;
  std::vector<std::size_t> fork_position;        // by thread: of its fork in main
  std::vector<std::size_t> join_position;        // by thread: of its join in main
  std::vector<RecordPlace> records;              // by event
  std::vector<TimeNs> recorded_ns;               // by event
  std::vector<TimeNs> complete_ns;               // by event
  std::vector<std::vector<TimeNs>> executed_ns;  // by thread and command: its end
};

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

TimeNs host_time(const Program& program, std::int32_t rank, const Command& command) {
  switch (command.type) {
    case CommandType::launch:
      return program.host.launch_ns * program.kernels[at(command.kernel)].launches;
    case CommandType::record:
    case CommandType::wait:
      return program.host.event_ns;
    case CommandType::host_work:
      return program.ranks[at(rank)].host_work_ns[at(command.index)];
    case CommandType::fork:
      return program.host.fork_ns;
    case CommandType::host_wait:
    case CommandType::rendezvous:
    case CommandType::notify:
    case CommandType::depart:
    case CommandType::join:
      return 0;
  }
  return 0;
}

// Walks one thread from `clock_ns` on, and the threads it forks; returns when it can have ended.
TimeNs walk_thread(Run& run, Bounds& bounds, std::size_t thread, TimeNs clock_ns, bool judge) {
  const std::vector<Command>& commands =
      run.program.ranks[at(bounds.rank)].threads[thread].commands;
  std::vector<TimeNs> forked_end_ns(run.program.ranks[at(bounds.rank)].threads.size(), 0);
  for (std::size_t position = 0; position < commands.size(); ++position) {
    const Command& command = commands[position];
    clock_ns += host_time(run.program, bounds.rank, command);
    if (command.type == CommandType::launch) {
      const TimeNs enqueue_ns = run.of(command.kernel).enqueue_ns;
      if (judge && enqueue_ns < clock_ns) {
        run.broken.push_back(fmt::format("kernel {} is enqueued at {}, but not before {} can it be",
                                         command.kernel, enqueue_ns, clock_ns));
      }
      clock_ns = enqueue_ns;
    } else if (command.type == CommandType::record) {
      bounds.recorded_ns[at(command.index)] = clock_ns;
    } else if (command.type == CommandType::host_wait) {
      clock_ns = std::max(clock_ns, bounds.complete_ns[at(command.index)]);
    } else if (command.type == CommandType::fork) {
      forked_end_ns[at(command.index)] =
          walk_thread(run, bounds, at(command.index), clock_ns, judge);
    } else if (command.type == CommandType::join) {
      clock_ns = std::max(clock_ns, forked_end_ns[at(command.index)]);
    }
    bounds.executed_ns[thread][position] = clock_ns;
  }
  return clock_ns;
}

// Where the coverage of an event ends: the record, or the launch of the kernel it covers up to,
// which may be another thread's.
RecordPlace covered_up_to(const Run& run, const Bounds& bounds, std::size_t event) {
  const RecordPlace place = bounds.records[event];
  if (place.kernel < 0) return place;
  for (const Launch& launch : run.orders[at(bounds.rank)][at(place.stream)].launches) {
    if (launch.kernel != place.kernel) continue;
    return {launch.thread, launch.position, place.stream, place.kernel};
  }
  return place;
}

// Whether the command has certainly executed when the other one executes: it stands before it in
// its thread, in main before the fork, or in a thread that was joined before.
bool certainly_before(const Bounds& bounds, std::size_t thread, std::size_t position,
                      std::size_t other_thread, std::size_t other_position) {
  if (thread == other_thread) return position <= other_position;
  const std::size_t main_position =
      other_thread == 0 ? other_position : bounds.fork_position[other_thread];
  return (thread == 0 ? position : bounds.join_position[thread]) < main_position;
}

// When the last event is complete that the stream certainly waits for ahead of this command.
TimeNs waited_for_ns(const Run& run, const Bounds& bounds, std::int32_t stream, std::size_t thread,
                     std::size_t position) {
  const std::vector<HostThread>& threads = run.program.ranks[at(bounds.rank)].threads;
  TimeNs latest_ns = 0;
  for (std::size_t other = 0; other < threads.size(); ++other) {
    for (std::size_t index = 0; index < threads[other].commands.size(); ++index) {
      const Command& command = threads[other].commands[index];
      if (command.type != CommandType::wait || command.stream != stream) continue;
      if (!certainly_before(bounds, other, index, thread, position)) continue;
      latest_ns = std::max(latest_ns, bounds.complete_ns[at(command.index)]);
    }
  }
  return latest_ns;
}

bool raise_event(const Run& run, Bounds& bounds, std::size_t event) {
  const RecordPlace end = covered_up_to(run, bounds, event);
  const TimeNs appended_ns = bounds.executed_ns[at(end.thread)][end.position];
  TimeNs complete_ns =
      std::max(bounds.recorded_ns[event],
               waited_for_ns(run, bounds, end.stream, at(end.thread), end.position));
  for (const Launch& launch : run.orders[at(bounds.rank)][at(end.stream)].launches) {
    const bool covered =
        certainly_before(bounds, at(launch.thread), launch.position, at(end.thread),
                         end.position) ||
        (launch.thread != end.thread && run.of(launch.kernel).enqueue_ns < appended_ns);
    if (covered) complete_ns = std::max(complete_ns, run.of(launch.kernel).end_ns);
  }
  if (complete_ns <= bounds.complete_ns[event]) return false;
  bounds.complete_ns[event] = complete_ns;
  return true;
}

Bounds empty_bounds(const Run& run, std::int32_t rank) {
  const RankProgram& rank_program = run.program.ranks[at(rank)];
  Bounds bounds;
  bounds.rank = rank;
  bounds.fork_position.assign(rank_program.threads.size(), 0);
  bounds.join_position.assign(rank_program.threads.size(), 0);
  bounds.records.resize(at(rank_program.events));
  bounds.recorded_ns.assign(at(rank_program.events), 0);
  bounds.complete_ns.assign(at(rank_program.events), 0);
  for (std::size_t thread = 0; thread < rank_program.threads.size(); ++thread) {
    const std::vector<Command>& commands = rank_program.threads[thread].commands;
    bounds.executed_ns.emplace_back(commands.size(), 0);
    for (std::size_t position = 0; position < commands.size(); ++position) {
      const Command& command = commands[position];
      if (command.type == CommandType::fork) bounds.fork_position[at(command.index)] = position;
      if (command.type == CommandType::join) bounds.join_position[at(command.index)] = position;
      if (command.type != CommandType::record) continue;
      bounds.records[at(command.index)] = {static_cast<std::int32_t>(thread), position,
                                           command.stream, command.kernel};
    }
  }
  return bounds;
}

void check_waits(Run& run, const Bounds& bounds) {
  for (const StreamOrder& stream : run.orders[at(bounds.rank)]) {
    for (const Launch& launch : stream.launches) {
      const TimeNs waited_ns = waited_for_ns(run, bounds, run.kernel(launch.kernel).stream,
                                             at(launch.thread), launch.position);
      if (run.of(launch.kernel).ready_ns >= waited_ns) continue;
      run.broken.push_back(fmt::format("kernel {} is ready at {}, before its waits hold at {}",
                                       launch.kernel, run.of(launch.kernel).ready_ns, waited_ns));
    }
  }
}

}  // namespace

void check_host_and_waits(Run& run) {
  for (std::size_t rank = 0; rank < run.program.ranks.size(); ++rank) {
    Bounds bounds = empty_bounds(run, static_cast<std::int32_t>(rank));
    // In a run that is right, events follow one another without a cycle, so that each round settles
    // at least one; a wrong run must not keep us here for ever.
    bool raised = true;
    for (std::size_t round = 0; raised && round <= bounds.records.size(); ++round) {
      walk_thread(run, bounds, 0, 0, false);
      raised = false;
      for (std::size_t event = 0; event < bounds.records.size(); ++event) {
        if (raise_event(run, bounds, event)) raised = true;
      }
    }
    walk_thread(run, bounds, 0, 0, true);
    check_waits(run, bounds);
  }
}

}  // namespace steptwin::trace_rules
