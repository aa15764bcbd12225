#pragma once

#include <chrono>
#include <cstdint>
#include <mpi.h>
#include <vector>

#include "hw/mpi/clocks.h"
#include "hw/mpi/session.h"
#include "hw/stop.h"
#include "hw/team.h"
#include "model/program.h"

namespace steptwin::hw {

// The processes that mpirun has started. Nothing blocks within the library while the run may be
// given up: requests are tested now and then, with a sleep between.
class MpiTeam final : public Team {
 public:
  // All processes make it. Throws MachineError if there are not as many of them as ranks. One that
  // watches and waits for another for longer than `patience`, and some seconds for getting ready,
  // throws it as well: a process may be stopped, or its machine away.
  MpiTeam(const MpiSession& session, const Program& program, std::chrono::nanoseconds patience,
          const Stop& stop);
  ~MpiTeam() override;
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  std::int32_t process() const override { return process_; }
  std::int32_t process_on_machine() const override { return process_on_machine_; }
  std::int32_t processes_on_machine() const override { return processes_on_machine_; }
  void barrier() override;
  void broadcast(std::span<std::byte> bytes, std::int32_t from) override;
  std::vector<std::int64_t> sum(std::span<const std::int64_t> own) override;
  std::vector<std::vector<std::int64_t>> gather(std::span<const std::int64_t> own,
                                                Thread thread) override;
  TimeNs clock_offset_ns() const override { return clock_.offset_ns; }

  // By how much times of different processes can be off against each other: half the tightest
  // round trip of the worst process, and what its clock has drifted since the beginning. All
  // processes call it.
  TimeNs clock_bound_ns() const;

 private:
  // What a gathering is written to; kept here, since one that was given up may still be under way.
  struct Gathered {
    int own_count = 0;
    std::vector<std::int64_t> own;
    std::vector<int> counts;
    std::vector<int> places;
    std::vector<std::int64_t> numbers;
  };

  void await(MPI_Request& request, Thread thread) const;

  const Stop& stop_;
  const std::chrono::nanoseconds patience_;
  std::int32_t process_ = 0;
  std::int32_t process_on_machine_ = 0;
  std::int32_t processes_on_machine_ = 0;
  MPI_Comm of_ranks_ = MPI_COMM_NULL;
  MPI_Comm of_watches_ = MPI_COMM_NULL;
  ClockOffset clock_;
  std::vector<std::int64_t> sums_;  // as Gathered
  Gathered by_ranks_;
  Gathered by_watches_;
};

}  // namespace steptwin::hw
