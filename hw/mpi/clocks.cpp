#include "hw/mpi/clocks.h"

#include <array>
#include <limits>

#include "hw/host/clock.h"
#include "hw/mpi/check.h"

namespace steptwin::hw {
namespace {

constexpr int kExchanges = 300;

// Process 0 with one other: what is to be added to the other's clock.
ClockOffset exchange_with(int process, MPI_Comm comm) {
  ClockOffset best{0, std::numeric_limits<TimeNs>::max()};
  for (int round = 0; round < kExchanges; ++round) {
    const TimeNs asked = host_now_ns();
    TimeNs there = 0;
    check_mpi(MPI_Send(&asked, 1, MPI_INT64_T, process, 0, comm), "MPI_Send");
    check_mpi(MPI_Recv(&there, 1, MPI_INT64_T, process, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    const TimeNs received = host_now_ns();
    const TimeNs bound = (received - asked + 1) / 2;
    if (bound < best.bound_ns) best = {asked + (received - asked) / 2 - there, bound};
  }
  return best;
}

void answer(MPI_Comm comm) {
  for (int round = 0; round < kExchanges; ++round) {
    TimeNs asked = 0;
    check_mpi(MPI_Recv(&asked, 1, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    const TimeNs now = host_now_ns();
    check_mpi(MPI_Send(&now, 1, MPI_INT64_T, 0, 0, comm), "MPI_Send");
  }
}

}  // namespace

ClockOffset measure_clock_offset(MPI_Comm comm) {
  int process = 0;
  int processes = 0;
  check_mpi(MPI_Comm_rank(comm, &process), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &processes), "MPI_Comm_size");
  ClockOffset own;
  for (int other = 1; other < processes; ++other) {
    if (process == 0) {
      const ClockOffset found = exchange_with(other, comm);
      const std::array<TimeNs, 2> told = {found.offset_ns, found.bound_ns};
      check_mpi(MPI_Send(told.data(), 2, MPI_INT64_T, other, 1, comm), "MPI_Send");
    } else if (process == other) {
      answer(comm);
      std::array<TimeNs, 2> told{};
      check_mpi(MPI_Recv(told.data(), 2, MPI_INT64_T, 0, 1, comm, MPI_STATUS_IGNORE), "MPI_Recv");
      own = {told[0], told[1]};
    }
    check_mpi(MPI_Barrier(comm), "MPI_Barrier");
  }
  return own;
}

}  // namespace steptwin::hw
