#include "hw/mpi/job.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <thread>

#include "hw/host/clock.h"
#include "hw/mpi/check.h"

namespace steptwin::hw {
namespace {

constexpr std::chrono::microseconds kPoll{50};

MPI_Comm copy_of_world() {
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &copy), "MPI_Comm_dup");
  return copy;
}

const MpiSession& checked(const MpiSession& session, const Program& program) {
  if (static_cast<std::size_t>(session.processes()) == program.ranks.size()) return session;
  throw MachineError(fmt::format("there are {} processes for {} ranks; start as many: mpirun -n {}",
                                 session.processes(), program.ranks.size(), program.ranks.size()));
}

// Everybody's numbers added up at process 0; where only one has other than 0, that is its own.
void sum_at_root(std::vector<std::int64_t>& numbers, bool is_root, MPI_Comm comm) {
  const void* own = is_root ? MPI_IN_PLACE : numbers.data();
  check_mpi(MPI_Reduce(own, is_root ? numbers.data() : nullptr, static_cast<int>(numbers.size()),
                       MPI_INT64_T, MPI_SUM, 0, comm),
            "MPI_Reduce");
}

std::size_t first_command_of(const Program& program, std::int32_t rank) {
  std::size_t first = 0;
  for (std::int32_t before = 0; before < rank; ++before) {
    for (const HostThread& thread : program.ranks[static_cast<std::size_t>(before)].threads) {
      first += thread.commands.size();
    }
  }
  return first;
}

// The numbers of `times` in a row; what is not of this rank is left out as 0.
class Row {
 public:
  Row(const Program& program, std::int32_t rank, TimeNs offset_ns)
      : program_(program), rank_(rank), offset_ns_(offset_ns) {}

  std::vector<std::int64_t> of(const IterationTimes& times) {
    std::vector<std::int64_t> row;
    for (std::size_t index = 0; index < program_.kernels.size(); ++index) {
      const bool own = program_.kernels[index].rank == rank_;
      const KernelTimes& at = times.stamps.kernels[index];
      for (const TimeNs time : {at.enqueue_ns, at.ready_ns, at.start_ns, at.end_ns}) {
        add(row, own, time);
      }
    }
    std::vector<bool> own_parts(program_.p2p_parts.size(), false);
    for (const Kernel& kernel : program_.kernels) {
      if (kernel.rank != rank_) continue;
      std::fill_n(own_parts.begin() + kernel.first_part, kernel.part_count, true);
    }
    for (std::size_t index = 0; index < own_parts.size(); ++index) {
      add(row, own_parts[index], times.stamps.parts[index].begin_ns);
      add(row, own_parts[index], times.stamps.parts[index].end_ns);
    }
    const std::size_t first = first_command_of(program_, rank_);
    const std::size_t end = first_command_of(program_, rank_ + 1);
    for (std::size_t index = 0; index < times.commands.size(); ++index) {
      add(row, index >= first && index < end, times.commands[index].begin_ns);
      add(row, index >= first && index < end, times.commands[index].end_ns);
    }
    for (std::size_t index = 0; index < times.ended_ns.size(); ++index) {
      add(row, index == static_cast<std::size_t>(rank_), times.ended_ns[index]);
    }
    return row;
  }

 private:
  void add(std::vector<std::int64_t>& row, bool own, TimeNs time) const {
    row.push_back(own ? time + offset_ns_ : 0);
  }

  const Program& program_;
  const std::int32_t rank_;
  const TimeNs offset_ns_;
};

// The other way, in the same order.
void fill_from(const std::vector<std::int64_t>& row, IterationTimes& times) {
  std::size_t next = 0;
  for (KernelTimes& at : times.stamps.kernels) {
    for (TimeNs* time : {&at.enqueue_ns, &at.ready_ns, &at.start_ns, &at.end_ns}) {
      *time = row[next++];
    }
  }
  for (std::vector<TimeSpan>* spans : {&times.stamps.parts, &times.commands}) {
    for (TimeSpan& span : *spans) {
      span.begin_ns = row[next++];
      span.end_ns = row[next++];
    }
  }
  for (TimeNs& time : times.ended_ns) time = row[next++];
}

std::vector<std::int64_t> row_of(const StoppedRank& rank) {
  std::vector<std::int64_t> row = {rank.forked};
  for (const StoppedThread& thread : rank.threads) {
    row.push_back(static_cast<std::int64_t>(thread.stop));
    row.push_back(thread.position);
  }
  for (const StoppedStream& stream : rank.streams) {
    row.push_back(stream.passed);
    row.push_back(static_cast<std::int64_t>(stream.entries.size()));
    row.insert(row.end(), stream.entries.begin(), stream.entries.end());
  }
  for (const EventPlace& event : rank.events) {
    row.push_back(event.stream);
    row.push_back(event.covered);
  }
  return row;
}

StoppedRank stopped_from(const std::int64_t* row, const RankProgram& program) {
  const auto next = [&row] { return static_cast<std::int32_t>(*row++); };
  StoppedRank rank;
  rank.forked = next();
  for (std::size_t index = 0; index < program.threads.size(); ++index) {
    const auto stop = static_cast<ThreadStop>(next());
    rank.threads.push_back({stop, next()});
  }
  for (std::size_t index = 0; index < program.streams.size(); ++index) {
    StoppedStream stream;
    stream.passed = next();
    const std::int32_t entries = next();
    for (std::int32_t entry = 0; entry < entries; ++entry) stream.entries.push_back(next());
    rank.streams.push_back(std::move(stream));
  }
  for (std::int32_t event = 0; event < program.events; ++event) {
    const std::int32_t stream = next();
    rank.events.push_back({stream, next()});
  }
  return rank;
}

}  // namespace

MpiJob::MpiJob(const MpiSession& session, const Program& program, const HostSettings& settings,
               Stop& stop)
    : program_(program),
      stop_(stop),
      ranks_{checked(session, program).process()},
      barrier_(copy_of_world()),
      watch_(copy_of_world()),
      clock_(measure_clock_offset(barrier_)),
      links_(program, stop),
      device_(ranks_[0], program.ranks[static_cast<std::size_t>(ranks_[0])].streams.size(),
              static_cast<std::size_t>(program.ranks[static_cast<std::size_t>(ranks_[0])].events),
              settings, links_, stop) {}

MpiJob::~MpiJob() {
  device_.end();
  if (stop_.requested()) return;
  MPI_Comm_free(&barrier_);
  MPI_Comm_free(&watch_);
}

TimeNs MpiJob::now_ns() const {
  return host_now_ns();
}

// Nothing blocks within the library: the run may be given up meanwhile.
void MpiJob::await(MPI_Request& request) const {
  int over = 0;
  while (true) {
    check_mpi(MPI_Test(&request, &over, MPI_STATUS_IGNORE), "MPI_Test");
    if (over != 0) return;
    stop_.check();
    std::this_thread::sleep_for(kPoll);
  }
}

void MpiJob::synchronize() {
  links_.begin();
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(barrier_, &request), "MPI_Ibarrier");
  await(request);
}

Headway MpiJob::together(const Headway& own) {
  const std::array<std::int64_t, 3> mine = {own.done, own.ranks_over, own.is_stopped ? 1 : 0};
  std::array<std::int64_t, 3> all{};
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_INT64_T,
                           MPI_SUM, watch_, &request),
            "MPI_Iallreduce");
  int over = 0;
  while (over == 0) {
    check_mpi(MPI_Test(&request, &over, MPI_STATUS_IGNORE), "MPI_Test");
    if (over == 0) std::this_thread::sleep_for(kPoll);
  }
  return {all[0], all[1], all[2] > 0};
}

void MpiJob::gather(IterationTimes& times) {
  std::vector<std::int64_t> row = Row(program_, ranks_[0], clock_.offset_ns).of(times);
  sum_at_root(row, reports(), barrier_);
  if (reports()) fill_from(row, times);
  TimeNs zero = times.zero_ns + clock_.offset_ns;
  TimeNs first = zero;
  check_mpi(MPI_Reduce(&zero, &first, 1, MPI_INT64_T, MPI_MIN, 0, barrier_), "MPI_Reduce");
  times.zero_ns = first;
}

void MpiJob::gather(Standstill& standstill) {
  const auto own = static_cast<std::size_t>(ranks_[0]);
  const std::vector<std::int64_t> row = row_of(standstill.ranks[own]);
  const auto size = static_cast<int>(row.size());
  std::vector<int> sizes(standstill.ranks.size());
  check_mpi(MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, watch_), "MPI_Gather");
  std::vector<int> places(sizes.size(), 0);
  std::partial_sum(sizes.begin(), sizes.end() - 1, places.begin() + 1);
  std::vector<std::int64_t> all(
      static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0)));
  check_mpi(MPI_Gatherv(row.data(), size, MPI_INT64_T, all.data(), sizes.data(), places.data(),
                        MPI_INT64_T, 0, watch_),
            "MPI_Gatherv");
  if (!reports()) return;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    standstill.ranks[rank] = stopped_from(all.data() + places[rank], program_.ranks[rank]);
  }
}

TimeNs MpiJob::clock_bound_ns() const {
  const ClockOffset after = measure_clock_offset(barrier_);
  const TimeNs drift = std::abs(after.offset_ns - clock_.offset_ns);
  const TimeNs own = std::max(clock_.bound_ns, after.bound_ns) + drift;
  TimeNs worst = own;
  check_mpi(MPI_Allreduce(&own, &worst, 1, MPI_INT64_T, MPI_MAX, barrier_), "MPI_Allreduce");
  return worst;
}

}  // namespace steptwin::hw
