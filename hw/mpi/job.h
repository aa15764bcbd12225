#pragma once

#include <memory>
#include <mpi.h>
#include <vector>

#include "hw/host/device.h"
#include "hw/mpi/clocks.h"
#include "hw/mpi/links.h"
#include "hw/mpi/session.h"
#include "model/program.h"

namespace steptwin::hw {

// One rank of the Program in this process, the others in others. All of them call the same
// functions in the same order. Times are gathered at process 0, on its clock.
class MpiJob final : public Job {
 public:
  // Throws MachineError if there are not as many processes as ranks.
  MpiJob(const MpiSession& session, const Program& program, const HostSettings& settings,
         Stop& stop);
  ~MpiJob() override;

  std::span<const std::int32_t> ranks() const override { return ranks_; }
  Device& device(std::int32_t /*rank*/) override { return device_; }
  TimeNs now_ns() const override;
  void synchronize() override;
  Headway together(const Headway& own) override;
  void gather(IterationTimes& times) override;
  void gather(Standstill& standstill) override;
  bool reports() const override { return ranks_.front() == 0; }

  // By how much times of different processes can be off against each other: half the tightest
  // round trip of the worst process, and what its clock has drifted since the beginning. All
  // processes call it.
  TimeNs clock_bound_ns() const;

 private:
  void await(MPI_Request& request) const;

  const Program& program_;
  const Stop& stop_;
  std::vector<std::int32_t> ranks_;
  MPI_Comm barrier_ = MPI_COMM_NULL;  // of the threads of ranks
  MPI_Comm watch_ = MPI_COMM_NULL;    // of the thread that watches
  ClockOffset clock_;
  MpiLinks links_;
  HostDevice device_;
};

}  // namespace steptwin::hw
