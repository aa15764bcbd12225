#include "tests/sim/random_program.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <vector>

#include "tests/sim/perturb_program.h"
#include "tests/sim/program_writer.h"
#include "tests/sim/random_draw.h"
#include "tests/sim/random_overlap.h"

namespace steptwin {
namespace {

constexpr std::array<KernelKind, 4> kCollectives = {KernelKind::all_to_all, KernelKind::all_gather,
                                                    KernelKind::reduce_scatter,
                                                    KernelKind::all_reduce};

// What two calls that match must agree in.
struct CallSize {
  KernelKind collective = KernelKind::all_to_all;
  Bytes bytes = 0;
  TimeNs duration_ns = 0;
};

struct Drawing {
  Program& program;
  const RandomProgramOptions& options;
  Draw draw;
  TimeNs longest_ns = 0;  // of this Program's durations
  double zero_durations = 0.15;
  double zero_host_costs = 0.5;
  std::vector<RandomRank> ranks;
  std::vector<std::vector<std::int32_t>> stream_of;  // by communicator and rank
  std::vector<bool> uniform;                         // by communicator: all its calls alike
  std::vector<CallSize> uniform_size;
  bool has_overlaps = false;
};

struct Transfer {
  std::int32_t from = 0;
  std::int32_t to = 0;
  CallSize size;
};

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

TimeNs draw_duration(Drawing& drawing) {
  if (drawing.draw.chance(drawing.zero_durations)) return 0;
  if (drawing.draw.chance(0.02)) return 10 * drawing.longest_ns;
  return drawing.draw.between(0, drawing.longest_ns);
}

TimeNs draw_host_cost(Drawing& drawing) {
  return drawing.draw.chance(drawing.zero_host_costs) ? 0 : drawing.draw.between(1, 5);
}

CallSize draw_size(Drawing& drawing) {
  CallSize size;
  size.collective = kCollectives[at(drawing.draw.between(0, 3))];
  size.bytes = drawing.draw.between(0, 100);
  size.duration_ns = draw_duration(drawing);
  return size;
}

CallSize size_of_call(Drawing& drawing, std::int32_t communicator) {
  return drawing.uniform[at(communicator)] ? drawing.uniform_size[at(communicator)]
                                           : draw_size(drawing);
}

void draw_host(Drawing& drawing) {
  HostCosts& host = drawing.program.host;
  host.launch_ns = draw_host_cost(drawing);
  host.event_ns = draw_host_cost(drawing);
  host.rendezvous_ns = draw_host_cost(drawing);
  host.wake_ns = drawing.draw.chance(0.5) ? 0 : drawing.draw.between(1, 5);  // tells rounds apart
  host.fork_ns = draw_host_cost(drawing);
  host.one_launch_lock = drawing.draw.chance(0.3);
}

void draw_ranks(Drawing& drawing) {
  const std::int64_t ranks = drawing.draw.between(1, drawing.options.max_ranks);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    RankProgram rank_program;
    const std::int64_t streams = drawing.draw.between(1, drawing.options.max_streams);
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      rank_program.streams.push_back(fmt::format("stream{}", stream));
    }
    rank_program.threads.push_back({.name = "main", .commands = {}});
    drawing.program.ranks.push_back(rank_program);
  }
}

std::int32_t draw_stream(Drawing& drawing, std::int32_t rank) {
  return drawing.draw.between32(
      0, static_cast<std::int64_t>(drawing.program.ranks[at(rank)].streams.size()) - 1);
}

std::int32_t draw_rank(Drawing& drawing) {
  return drawing.draw.between32(0, static_cast<std::int64_t>(drawing.program.ranks.size()) - 1);
}

void draw_communicators(Drawing& drawing) {
  const std::int64_t communicators = drawing.draw.between(1, 4);
  for (std::int64_t index = 0; index < communicators; ++index) {
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> streams;
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(drawing.program.ranks.size());
         ++rank) {
      if (drawing.draw.chance(0.7)) members.push_back(rank);
      streams.push_back(draw_stream(drawing, rank));
    }
    if (members.empty()) members.push_back(draw_rank(drawing));
    add_communicator(drawing.program, members);
    drawing.stream_of.push_back(streams);
    drawing.uniform.push_back(drawing.draw.chance(0.5));
    drawing.uniform_size.push_back(draw_size(drawing));
  }
}

// The newest kernel, and the command that launches it, stand for some other number of launches.
void draw_launches(Drawing& drawing) {
  if (!drawing.draw.chance(0.2)) return;
  Kernel& kernel = drawing.program.kernels.back();
  kernel.launches = drawing.draw.between32(0, 3);
  const auto id = static_cast<std::int32_t>(drawing.program.kernels.size() - 1);
  for (HostThread& thread : drawing.program.ranks[static_cast<std::size_t>(kernel.rank)].threads) {
    for (Command& command : thread.commands) {
      const bool launches_it = command.type == CommandType::launch && command.kernel == id;
      if (launches_it) command.index = kernel.launches;
    }
  }
}

void draw_compute(Drawing& drawing) {
  const std::int32_t rank = draw_rank(drawing);
  ThreadWriter& writer =
      drawing.ranks[at(rank)].side(draw_side(drawing.ranks[at(rank)], drawing.draw));
  const std::int32_t stream = draw_stream(drawing, rank);
  if (drawing.draw.chance(0.8)) {
    writer.compute(stream, draw_duration(drawing));
  } else {
    writer.copy(stream, draw_duration(drawing));
  }
  draw_launches(drawing);
}

ThreadWriter& writer_for(Drawing& drawing, std::int32_t rank, std::int32_t communicator) {
  RandomRank& random_rank = drawing.ranks[at(rank)];
  const bool keep_order = !drawing.uniform[at(communicator)];
  return random_rank.side(draw_side_for(random_rank, communicator, keep_order, drawing.draw));
}

void draw_collective(Drawing& drawing) {
  const std::int32_t communicator = drawing.draw.between32(
      0, static_cast<std::int64_t>(drawing.program.communicators.size()) - 1);
  const CallSize size = size_of_call(drawing, communicator);
  const std::vector<std::int32_t> members = drawing.program.communicators[at(communicator)].ranks;
  for (const std::int32_t rank : members) {
    writer_for(drawing, rank, communicator)
        .collective(drawing.stream_of[at(communicator)][at(rank)], communicator, size.collective,
                    size.duration_ns, size.bytes);
    draw_launches(drawing);
  }
}

// A rank's ends of the transfers in one kernel, or now and then each in a kernel of its own.
void launch_ends(Drawing& drawing, std::int32_t communicator, std::int32_t rank,
                 const std::vector<Transfer>& transfers) {
  std::vector<P2pPart> ends;
  for (const Transfer& transfer : transfers) {
    if (transfer.from != rank && transfer.to != rank) continue;
    const bool is_send = transfer.from == rank;
    ends.push_back({.is_send = is_send,
                    .peer = is_send ? transfer.to : transfer.from,
                    .bytes = transfer.size.bytes,
                    .transfer_ns = transfer.size.duration_ns});
  }
  if (ends.empty()) return;
  const std::int32_t stream = drawing.stream_of[at(communicator)][at(rank)];
  ThreadWriter& writer = writer_for(drawing, rank, communicator);
  if (!drawing.draw.chance(0.2)) {
    writer.p2p(stream, communicator, ends);
    return draw_launches(drawing);
  }
  for (const P2pPart& end : ends) writer.p2p(stream, communicator, {end});
}

void draw_p2p(Drawing& drawing) {
  const std::int32_t communicator = drawing.draw.between32(
      0, static_cast<std::int64_t>(drawing.program.communicators.size()) - 1);
  const std::vector<std::int32_t> members = drawing.program.communicators[at(communicator)].ranks;
  if (members.size() < 2) return;
  std::vector<Transfer> transfers;
  for (std::int64_t left = drawing.draw.chance(0.6) ? 1 : drawing.draw.between(2, 5); left > 0;
       --left) {
    const std::int32_t from = drawing.draw.pick(members);
    const std::int32_t to = drawing.draw.pick(members);
    if (from != to) transfers.push_back({from, to, size_of_call(drawing, communicator)});
  }
  for (const std::int32_t rank : members) launch_ends(drawing, communicator, rank, transfers);
}

// The last kernel that the thread has launched on the stream, or -1.
std::int32_t last_launched(const Drawing& drawing, const std::vector<Command>& commands,
                           std::int32_t stream) {
  for (std::size_t left = commands.size(); left > 0; --left) {
    const Command& command = commands[left - 1];
    if (command.type != CommandType::launch) continue;
    if (drawing.program.kernels[at(command.kernel)].stream == stream) return command.kernel;
  }
  return -1;
}

void draw_record(Drawing& drawing) {
  const std::int32_t rank = draw_rank(drawing);
  RandomRank& random_rank = drawing.ranks[at(rank)];
  ThreadWriter& writer = random_rank.side(draw_side(random_rank, drawing.draw));
  const std::int32_t stream = draw_stream(drawing, rank);
  const std::int32_t event = writer.new_event();
  const bool up_to_kernel = drawing.draw.chance(0.4);
  writer.record_event(event, stream,
                      up_to_kernel ? last_launched(drawing, writer.commands(), stream) : -1);
  random_rank.events.push_back(event);
  if (drawing.draw.chance(0.5)) writer.wait(draw_stream(drawing, rank), event);
  if (drawing.draw.chance(0.15)) writer.host_wait(event);
}

void draw_wait(Drawing& drawing) {
  const std::int32_t rank = draw_rank(drawing);
  RandomRank& random_rank = drawing.ranks[at(rank)];
  if (random_rank.events.empty()) return;
  const std::int64_t recorded = static_cast<std::int64_t>(random_rank.events.size());
  const std::int32_t event =
      random_rank
          .events[at(drawing.draw.between(std::max<std::int64_t>(0, recorded - 4), recorded - 1))];
  ThreadWriter& writer = random_rank.side(draw_side(random_rank, drawing.draw));
  if (drawing.draw.chance(0.7)) {
    writer.wait(draw_stream(drawing, rank), event);
  } else {
    writer.host_wait(event);
  }
}

// The thread goes on in the instant in which a chain of kernels and waits without duration begins
// to run off, and soon asks whether that has happened: what tells the rounds of an instant apart.
void draw_chain(Drawing& drawing) {
  const std::int32_t rank = draw_rank(drawing);
  RandomRank& random_rank = drawing.ranks[at(rank)];
  ThreadWriter& writer = random_rank.side(draw_side(random_rank, drawing.draw));
  std::int32_t stream = draw_stream(drawing, rank);
  const TimeNs lead_ns = drawing.draw.between(1, 5);
  writer.compute(stream, lead_ns);
  const std::int32_t begun = writer.record(stream);
  for (std::int64_t left = drawing.draw.between(1, 4); left > 0; --left) {
    if (drawing.draw.chance(0.4)) {
      const std::int32_t event = writer.record(stream);
      stream = draw_stream(drawing, rank);
      writer.wait(stream, event);
    } else {
      writer.compute(stream, 0);
    }
  }
  const std::int32_t run_off = writer.record(stream);
  if (drawing.draw.chance(0.5)) {
    writer.host_wait(begun);
  } else {
    writer.host_work(lead_ns);  // the same instant if the stream was idle and the host is free
  }
  for (std::int64_t left = drawing.draw.between(0, 3); left > 0; --left) writer.host_work(0);
  writer.host_wait(run_off);
}

void draw_host_work(Drawing& drawing) {
  RandomRank& rank = drawing.ranks[at(draw_rank(drawing))];
  rank.side(draw_side(rank, drawing.draw)).host_work(draw_duration(drawing));
}

void draw_overlap_step(Drawing& drawing) {
  RandomRank& rank = drawing.ranks[at(draw_rank(drawing))];
  if (!rank.forked) return open_overlap(rank, drawing.draw, drawing.options.wrong_overlaps);
  if (drawing.draw.chance(0.75)) return draw_rendezvous(rank, drawing.draw);
  close_overlap(rank, drawing.draw);
}

void draw_operation(Drawing& drawing) {
  const std::int64_t what = drawing.draw.between(0, 99);
  if (what < 3) return draw_chain(drawing);
  if (what < 25) return draw_compute(drawing);
  if (what < 40) return draw_p2p(drawing);
  if (what < 50) return draw_collective(drawing);
  if (what < 63) return draw_record(drawing);
  if (what < 70) return draw_wait(drawing);
  if (what < 76) return draw_host_work(drawing);
  if (drawing.has_overlaps) return draw_overlap_step(drawing);
  draw_compute(drawing);
}

std::int64_t draw_loss(Draw& draw) {
  return draw.pick<std::int64_t>({500'000'000, 333'333'333, 250'000'000, 100'000'000, 900'000'000});
}

void draw_contention(Program& program, Draw& draw) {
  Contention& contention = program.contention;
  const std::int64_t kinds = draw.between(1, 15);
  contention.share_ports = (kinds & 1) != 0;
  if ((kinds & 2) != 0) contention.compute_loss = draw_loss(draw);
  if ((kinds & 4) != 0) contention.comm_loss = draw_loss(draw);
  if ((kinds & 8) != 0) contention.host_cores = draw.between32(1, 3);
  contention.while_waiting = draw.chance(0.5);
  contention.devices = draw.between32(1, 2);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    contention.node.push_back(draw.between32(0, 1));
    contention.host.push_back(draw.between32(0, 1));
  }
  for (TimeNs& latency_ns : contention.latency_ns) latency_ns = draw.between(0, 4);
  contention.collectives_cross_nodes = draw.chance(0.2);
}

}  // namespace

Program random_program(std::mt19937_64& random, const RandomProgramOptions& options) {
  Program program;
  Drawing drawing{.program = program,
                  .options = options,
                  .draw = Draw(random),
                  .ranks = {},
                  .stream_of = {},
                  .uniform = {},
                  .uniform_size = {}};
  drawing.longest_ns = drawing.draw.pick(std::vector<TimeNs>{2, 5, 5, 20});
  if (drawing.draw.chance(0.3)) {  // all in a few instants of many rounds each
    drawing.longest_ns = 1;
    drawing.zero_durations = 0.6;
    drawing.zero_host_costs = 0.9;
  }
  drawing.has_overlaps = drawing.draw.chance(options.overlaps);
  draw_host(drawing);
  draw_ranks(drawing);
  draw_communicators(drawing);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    drawing.ranks.emplace_back(program, static_cast<std::int32_t>(rank),
                               program.communicators.size());
  }
  for (std::int64_t left = drawing.draw.between(1, options.max_operations); left > 0; --left) {
    draw_operation(drawing);
  }
  for (RandomRank& rank : drawing.ranks) {
    if (rank.forked) close_overlap(rank, drawing.draw);
  }
  if (drawing.draw.chance(options.perturbed)) perturb(program, drawing.uniform, drawing.draw);
  if (options.size_mismatch) mismatch_one(program, drawing.draw);
  if (options.eager > 0 && drawing.draw.chance(options.eager)) {
    program.eager_bytes = drawing.draw.between(1, 100);
  }
  if (options.contention > 0 && drawing.draw.chance(options.contention)) {
    draw_contention(program, drawing.draw);
  }
  return program;
}

}  // namespace steptwin
