#include "model/validate.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "model/error.h"

namespace steptwin {
namespace {

// Where a launch stands in its rank's threads.
struct LaunchPlace {
  std::int32_t thread = -1;  // -1 not launched
  std::int32_t position = 0;
};

// What was met so far; every list is filled once, front to back, so the whole check is linear.
struct Seen {
  std::vector<std::vector<std::int32_t>> stream_of_member;  // by communicator and member; -1 unused
  std::vector<LaunchPlace> launch;                          // by kernel
  std::vector<bool> recorded;                               // events of the rank at hand
  std::vector<std::int32_t> forked_at;                      // its threads: position in main, or -1
  std::vector<std::int32_t> joined_at;
  std::int32_t alive = -1;  // the forked thread not joined yet
};

// Where a command stands: for messages, and to look its rank up.
struct Place {
  const Program& program;
  std::int32_t rank;
  std::int32_t thread;
  std::int32_t position;

  const RankProgram& rank_program() const { return program.ranks[static_cast<std::size_t>(rank)]; }
  const HostThread& host_thread() const {
    return rank_program().threads[static_cast<std::size_t>(thread)];
  }
  const Command& command() const {
    return host_thread().commands[static_cast<std::size_t>(position)];
  }
};

void check_not_negative(std::int64_t value, const std::string& what);
void check_host_costs(const HostCosts& host);
void check_communicator(const Program& program, std::size_t index);
void check_kernel(const Program& program, std::size_t id, Seen& seen);
void check_rank(const Program& program, std::int32_t rank, Seen& seen);
void check_every_kernel_launched(const Program& program, const Seen& seen);

}  // namespace

void validate(const Program& program) {
  Seen seen;
  seen.launch.resize(program.kernels.size());
  for (const Communicator& communicator : program.communicators) {
    seen.stream_of_member.emplace_back(communicator.ranks.size(), -1);
  }
  check_host_costs(program.host);
  check_not_negative(program.eager_bytes, "the most bytes of an eager part");
  validate(program.contention, program.ranks.size());
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    check_communicator(program, index);
  }
  for (std::size_t id = 0; id < program.kernels.size(); ++id) check_kernel(program, id, seen);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    check_rank(program, static_cast<std::int32_t>(rank), seen);
  }
  check_every_kernel_launched(program, seen);
}

namespace {

bool in_range(std::int64_t index, std::size_t size) {
  return index >= 0 && index < static_cast<std::int64_t>(size);
}

// "ranks 0..3", or "no ranks" where no index could be right.
std::string indices(const char* things, std::size_t size) {
  return size == 0 ? fmt::format("no {}", things) : fmt::format("{} 0..{}", things, size - 1);
}

std::string kernel_text(const Program& program, std::size_t id) {
  return fmt::format("kernel {} ({})", id, step_label(program.kernels[id]));
}

[[noreturn]] void refuse_negative(std::int64_t value, const std::string& what) {
  throw Error(fmt::format("{} is {}", what, value), "0 or more");
}

void check_not_negative(std::int64_t value, const std::string& what) {
  if (value < 0) refuse_negative(value, what);
}

void check_host_costs(const HostCosts& host) {
  check_not_negative(host.launch_ns, "the host's launch time");
  check_not_negative(host.event_ns, "the host's event time");
  check_not_negative(host.rendezvous_ns, "the host's rendezvous time");
  check_not_negative(host.wake_ns, "the host's wake time");
  check_not_negative(host.fork_ns, "the host's fork time");
}

void check_communicator(const Program& program, std::size_t index) {
  const Communicator& communicator = program.communicators[index];
  for (std::size_t member = 0; member < communicator.ranks.size(); ++member) {
    const std::int32_t rank = communicator.ranks[member];
    if (!in_range(rank, program.ranks.size())) {
      throw Error(fmt::format("communicator {} has rank {}", communicator.name, rank),
                  indices("ranks", program.ranks.size()));
    }
    if (member > 0 && communicator.ranks[member - 1] >= rank) {
      throw Error(fmt::format("communicator {} has rank {} after rank {}", communicator.name, rank,
                              communicator.ranks[member - 1]),
                  "members ascending and distinct");
    }
  }
}

// Position of `rank` among the members, or their number if it is none of them.
std::size_t member_of(const Communicator& communicator, std::int32_t rank) {
  const auto found = std::lower_bound(communicator.ranks.begin(), communicator.ranks.end(), rank);
  if (found == communicator.ranks.end() || *found != rank) return communicator.ranks.size();
  return static_cast<std::size_t>(found - communicator.ranks.begin());
}

// The checks of kernels, of which there may be millions, make their words only where they throw.
void check_parts(const Program& program, std::size_t id) {
  const Kernel& kernel = program.kernels[id];
  const auto name = [&] { return kernel_text(program, id); };
  const auto stored = static_cast<std::int64_t>(program.p2p_parts.size());
  if (kernel.part_count < 1) throw Error(name() + " is p2p without parts", "one part or more");
  const std::int64_t past_last = std::int64_t{kernel.first_part} + kernel.part_count;
  if (kernel.first_part < 0 || past_last > stored) {
    throw Error(fmt::format("{} has parts {}..{}", name(), kernel.first_part, past_last - 1),
                indices("parts", program.p2p_parts.size()));
  }
  const Communicator& communicator =
      program.communicators[static_cast<std::size_t>(kernel.communicator)];
  const std::span<const P2pPart> parts = parts_of(program, kernel);
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const P2pPart& part = parts[index];
    if (part.peer == kernel.rank ||
        member_of(communicator, part.peer) == communicator.ranks.size()) {
      throw Error(
          fmt::format("{} on rank {}: part {} has peer {}", name(), kernel.rank, index, part.peer),
          "another member of communicator " + communicator.name);
    }
    if (part.bytes < 0) {
      refuse_negative(part.bytes, fmt::format("{}: bytes of part {}", name(), index));
    }
    if (part.transfer_ns < 0) {
      refuse_negative(part.transfer_ns, fmt::format("{}: transfer time of part {}", name(), index));
    }
  }
}

void check_communication(const Program& program, std::size_t id, Seen& seen) {
  const Kernel& kernel = program.kernels[id];
  const auto name = [&] { return kernel_text(program, id); };
  if (!in_range(kernel.communicator, program.communicators.size())) {
    throw Error(fmt::format("{} has communicator {}", name(), kernel.communicator),
                indices("communicators", program.communicators.size()));
  }
  const auto index = static_cast<std::size_t>(kernel.communicator);
  const Communicator& communicator = program.communicators[index];
  const std::size_t member = member_of(communicator, kernel.rank);
  if (member == communicator.ranks.size()) {
    throw Error(fmt::format("{} is on rank {}", name(), kernel.rank),
                "a member of its communicator " + communicator.name);
  }
  std::int32_t& stream = seen.stream_of_member[index][member];
  if (stream >= 0 && stream != kernel.stream) {
    throw Error(fmt::format("{} uses communicator {} on rank {} from stream {}", name(),
                            communicator.name, kernel.rank, kernel.stream),
                fmt::format("stream {}, where it was used before", stream));
  }
  stream = kernel.stream;
  if (kernel.kind == KernelKind::p2p) check_parts(program, id);
}

void check_kernel(const Program& program, std::size_t id, Seen& seen) {
  const Kernel& kernel = program.kernels[id];
  const auto name = [&] { return kernel_text(program, id); };
  if (!in_range(kernel.rank, program.ranks.size())) {
    throw Error(fmt::format("{} is on rank {}", name(), kernel.rank),
                indices("ranks", program.ranks.size()));
  }
  const RankProgram& rank = program.ranks[static_cast<std::size_t>(kernel.rank)];
  if (!in_range(kernel.stream, rank.streams.size())) {
    throw Error(fmt::format("{} is on stream {} of rank {}", name(), kernel.stream, kernel.rank),
                indices("streams", rank.streams.size()));
  }
  if (kernel.launches < 0) refuse_negative(kernel.launches, name() + ": its number of launches");
  if (kernel.duration_ns < 0) refuse_negative(kernel.duration_ns, name() + ": its duration");
  if (kernel.bytes < 0) refuse_negative(kernel.bytes, name() + ": its bytes");
  if (is_communication(kernel.kind)) check_communication(program, id, seen);
}

[[noreturn]] void refuse(const Place& place, const std::string& wrong,
                         const std::string& expected) {
  throw Error(
      fmt::format("rank {}, thread {}, command {} ({}): {}", place.rank, place.host_thread().name,
                  place.position, name_of(place.command().type), wrong),
      expected);
}

void check_stream(const Place& place) {
  const std::size_t streams = place.rank_program().streams.size();
  if (in_range(place.command().stream, streams)) return;
  refuse(place, fmt::format("there is no stream {}", place.command().stream),
         indices("streams", streams));
}

void check_event(const Place& place, const Seen& seen) {
  if (in_range(place.command().index, seen.recorded.size())) return;
  refuse(place, fmt::format("there is no event {}", place.command().index),
         indices("events", seen.recorded.size()));
}

void check_host_work(const Place& place) {
  const std::vector<TimeNs>& durations = place.rank_program().host_work_ns;
  const std::int32_t index = place.command().index;
  if (!in_range(index, durations.size())) {
    refuse(place, fmt::format("there is no duration {}", index),
           indices("durations", durations.size()));
  }
  const TimeNs duration = durations[static_cast<std::size_t>(index)];
  if (duration < 0) refuse(place, fmt::format("its duration is {}", duration), "0 or more");
}

void check_launch(const Place& place, Seen& seen) {
  const std::int32_t id = place.command().kernel;
  if (!in_range(id, place.program.kernels.size())) {
    refuse(place, fmt::format("there is no kernel {}", id),
           indices("kernels", place.program.kernels.size()));
  }
  const Kernel& kernel = place.program.kernels[static_cast<std::size_t>(id)];
  if (kernel.rank != place.rank) {
    refuse(place, fmt::format("kernel {} belongs to rank {}", id, kernel.rank),
           "a kernel of the thread's own rank");
  }
  if (place.command().stream != kernel.stream || place.command().index != kernel.launches) {
    refuse(place,
           fmt::format("kernel {} is launched on another stream or as another number of "
                       "launches than it says",
                       id),
           "the kernel's own stream and launches");
  }
  LaunchPlace& launch = seen.launch[static_cast<std::size_t>(id)];
  if (launch.thread >= 0) {
    refuse(place, fmt::format("kernel {} was launched before", id), "one launch of every kernel");
  }
  launch = {place.thread, place.position};
}

void check_record(const Place& place, Seen& seen) {
  check_stream(place);
  check_event(place, seen);
  const Command& command = place.command();
  const auto event = static_cast<std::size_t>(command.index);
  if (seen.recorded[event]) {
    refuse(place, fmt::format("event {} was recorded before", event), "one record of every event");
  }
  seen.recorded[event] = true;
}

// Whether the launch is over whenever the command begins: it stands before it in its thread, in
// main before the fork, or in a thread that was joined before.
bool certainly_before(const LaunchPlace& launch, const Place& place, const Seen& seen) {
  if (launch.thread < 0) return false;
  if (launch.thread == place.thread) return launch.position < place.position;
  const std::int32_t in_main =
      place.thread == 0 ? place.position : seen.forked_at[static_cast<std::size_t>(place.thread)];
  if (launch.thread == 0) return launch.position < in_main;
  return seen.joined_at[static_cast<std::size_t>(launch.thread)] < in_main;
}

// A record that covers no more than up to a kernel. Checked once all launches of the rank are seen.
void check_coverage(const Place& place, const Seen& seen) {
  const Command& command = place.command();
  if (command.type != CommandType::record || command.kernel == -1) return;
  const LargeArray<Kernel>& kernels = place.program.kernels;
  const auto kernel = static_cast<std::size_t>(command.kernel);
  if (in_range(command.kernel, kernels.size()) && kernels[kernel].rank == place.rank &&
      kernels[kernel].stream == command.stream &&
      certainly_before(seen.launch[kernel], place, seen)) {
    return;
  }
  refuse(place, fmt::format("it covers up to kernel {}", command.kernel),
         "-1 or a kernel of that stream whose launch is certainly over by then");
}

void check_fork(const Place& place, Seen& seen) {
  const std::int32_t forked = place.command().index;
  if (place.thread != 0) refuse(place, "a forked thread forks", "main alone to fork and join");
  if (forked < 1 || !in_range(forked, seen.forked_at.size())) {
    refuse(place, fmt::format("there is no thread {} to fork", forked),
           "the number of a thread other than main");
  }
  if (seen.forked_at[static_cast<std::size_t>(forked)] >= 0) {
    refuse(place, fmt::format("thread {} was forked before", forked), "one fork of every thread");
  }
  if (seen.alive >= 0) {
    refuse(place, fmt::format("thread {} is not joined yet", seen.alive),
           "one forked thread alive at a time");
  }
  seen.forked_at[static_cast<std::size_t>(forked)] = place.position;
  seen.alive = forked;
}

void check_join(const Place& place, Seen& seen) {
  if (place.thread != 0) refuse(place, "a forked thread joins", "main alone to fork and join");
  if (seen.alive < 0 || place.command().index != seen.alive) {
    refuse(place, fmt::format("thread {} is not alive", place.command().index),
           seen.alive < 0 ? "a fork before the join"
                          : fmt::format("thread {}, which was forked last", seen.alive));
  }
  seen.joined_at[static_cast<std::size_t>(seen.alive)] = place.position;
  seen.alive = -1;
}

void check_command(const Place& place, Seen& seen) {
  switch (place.command().type) {
    case CommandType::launch:
      return check_launch(place, seen);
    case CommandType::record:
      return check_record(place, seen);
    case CommandType::wait:
      check_stream(place);
      return check_event(place, seen);
    case CommandType::host_wait:
      return check_event(place, seen);
    case CommandType::host_work:
      return check_host_work(place);
    case CommandType::fork:
      return check_fork(place, seen);
    case CommandType::join:
      return check_join(place, seen);
    case CommandType::rendezvous:
    case CommandType::notify:
    case CommandType::depart:
      return;
  }
}

template <typename Check>
void for_each_command(const Program& program, std::int32_t rank, Check&& check) {
  const std::vector<HostThread>& threads = program.ranks[static_cast<std::size_t>(rank)].threads;
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    for (std::size_t position = 0; position < threads[thread].commands.size(); ++position) {
      check(
          {program, rank, static_cast<std::int32_t>(thread), static_cast<std::int32_t>(position)});
    }
  }
}

void check_rank(const Program& program, std::int32_t rank, Seen& seen) {
  const RankProgram& rank_program = program.ranks[static_cast<std::size_t>(rank)];
  check_not_negative(rank_program.events, fmt::format("rank {}: its number of events", rank));
  if (rank_program.threads.empty()) throw Error(fmt::format("rank {} has no thread", rank), "main");
  seen.recorded.assign(static_cast<std::size_t>(rank_program.events), false);
  seen.forked_at.assign(rank_program.threads.size(), -1);
  seen.joined_at.assign(rank_program.threads.size(), -1);
  seen.alive = -1;
  for_each_command(program, rank, [&seen](const Place& place) { check_command(place, seen); });
  if (seen.alive >= 0) {
    throw Error(fmt::format("rank {}: thread {} is never joined", rank, seen.alive),
                "a join of every forked thread");
  }
  for (std::size_t thread = 1; thread < seen.forked_at.size(); ++thread) {
    if (seen.forked_at[thread] >= 0) continue;
    throw Error(fmt::format("rank {}: thread {} is never forked", rank, thread),
                "one fork of every thread but main");
  }
  for (std::size_t event = 0; event < seen.recorded.size(); ++event) {
    if (seen.recorded[event]) continue;
    throw Error(fmt::format("rank {}: event {} is never recorded", rank, event),
                "one record of every event");
  }
  for_each_command(program, rank, [&seen](const Place& place) { check_coverage(place, seen); });
}

void check_every_kernel_launched(const Program& program, const Seen& seen) {
  for (std::size_t id = 0; id < program.kernels.size(); ++id) {
    if (seen.launch[id].thread >= 0) continue;
    throw Error(kernel_text(program, id) + " is never launched", "one launch of every kernel");
  }
}

}  // namespace
}  // namespace steptwin
