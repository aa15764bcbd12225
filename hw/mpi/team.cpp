#include "hw/mpi/team.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>

#include "hw/mpi/check.h"
#include "hw/mpi/patience.h"

namespace steptwin::hw {
namespace {

// Devices are made, and their products measured, in each process at its own pace.
constexpr std::chrono::seconds kGettingReady{10};

MPI_Comm copy_of_world() {
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &copy), "MPI_Comm_dup");
  return copy;
}

void require_as_many(const MpiSession& session, const Program& program) {
  if (static_cast<std::size_t>(session.processes()) == program.ranks.size()) return;
  throw MachineError(fmt::format("there are {} processes for {} ranks; start as many: mpirun -n {}",
                                 session.processes(), program.ranks.size(), program.ranks.size()));
}

// Of the processes on this machine: which one this is, and how many they are.
std::pair<int, int> place_on_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
            "MPI_Comm_split_type");
  std::pair<int, int> place;
  check_mpi(MPI_Comm_rank(machine, &place.first), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(machine, &place.second), "MPI_Comm_size");
  MPI_Comm_free(&machine);
  return place;
}

}  // namespace

MpiTeam::MpiTeam(const MpiSession& session, const Program& program,
                 std::chrono::nanoseconds patience, const Stop& stop)
    : stop_(stop), patience_(patience + kGettingReady), process_(session.process()) {
  require_as_many(session, program);
  const Patience meeting(kMpiPatience, "not all processes have met to run the Program");
  std::tie(process_on_machine_, processes_on_machine_) = place_on_machine();
  of_ranks_ = copy_of_world();
  of_watches_ = copy_of_world();
  clock_ = measure_clock_offset(of_ranks_);
}

// What a run that was given up has left under way keeps its communicators.
MpiTeam::~MpiTeam() {
  if (stop_.requested()) return;
  MPI_Comm_free(&of_ranks_);
  MPI_Comm_free(&of_watches_);
}

// A rank's thread is freed by the one that watches; that one goes on until all processes know that
// the run is given up, or one does not answer.
void MpiTeam::await(MPI_Request& request, Thread thread) const {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kPoll{50};
  const Clock::time_point end = Clock::now() + patience_;
  int over = 0;
  while (true) {
    check_mpi(MPI_Test(&request, &over, MPI_STATUS_IGNORE), "MPI_Test");
    if (over != 0) return;
    if (thread == Thread::rank) {
      stop_.check();
    } else if (Clock::now() > end) {
      throw MachineError(fmt::format("another process has not answered for {:.1f} s",
                                     std::chrono::duration<double>(patience_).count()));
    }
    std::this_thread::sleep_for(kPoll);
  }
}

void MpiTeam::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(of_ranks_, &request), "MPI_Ibarrier");
  await(request, Thread::rank);
}

void MpiTeam::broadcast(std::span<std::byte> bytes, std::int32_t from) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from, of_ranks_, &request),
      "MPI_Ibcast");
  await(request, Thread::rank);
}

std::vector<std::int64_t> MpiTeam::sum(std::span<const std::int64_t> own) {
  sums_.resize(own.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(own.data(), sums_.data(), static_cast<int>(own.size()), MPI_INT64_T,
                           MPI_SUM, of_watches_, &request),
            "MPI_Iallreduce");
  await(request, Thread::watch);
  return sums_;
}

std::vector<std::vector<std::int64_t>> MpiTeam::gather(std::span<const std::int64_t> own,
                                                       Thread thread) {
  MPI_Comm comm = thread == Thread::rank ? of_ranks_ : of_watches_;
  auto& [own_count, sent, counts, places, numbers] =
      thread == Thread::rank ? by_ranks_ : by_watches_;
  int processes = 0;
  check_mpi(MPI_Comm_size(comm, &processes), "MPI_Comm_size");
  sent.assign(own.begin(), own.end());
  own_count = static_cast<int>(sent.size());
  counts.assign(static_cast<std::size_t>(processes), 0);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Igather(&own_count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm, &request),
            "MPI_Igather");
  await(request, thread);
  places.assign(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
  numbers.resize(static_cast<std::size_t>(places.back() + counts.back()));
  check_mpi(MPI_Igatherv(sent.data(), own_count, MPI_INT64_T, numbers.data(), counts.data(),
                         places.data(), MPI_INT64_T, 0, comm, &request),
            "MPI_Igatherv");
  await(request, thread);
  std::vector<std::vector<std::int64_t>> rows;
  if (process_ != 0) return rows;
  for (std::size_t process = 0; process < counts.size(); ++process) {
    const auto begin = numbers.begin() + places[process];
    rows.emplace_back(begin, begin + counts[process]);
  }
  return rows;
}

TimeNs MpiTeam::clock_bound_ns() const {
  const Patience meeting(kMpiPatience, "not all processes have compared their clocks");
  const ClockOffset after = measure_clock_offset(of_ranks_);
  const TimeNs drift = std::abs(after.offset_ns - clock_.offset_ns);
  const TimeNs own = std::max(clock_.bound_ns, after.bound_ns) + drift;
  TimeNs worst = own;
  check_mpi(MPI_Allreduce(&own, &worst, 1, MPI_INT64_T, MPI_MAX, of_ranks_), "MPI_Allreduce");
  return worst;
}

}  // namespace steptwin::hw
