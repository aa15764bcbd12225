#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "hw/executor.h"
#include "hw/host/device.h"
#include "hw/stop.h"
#include "hw/team.h"

namespace steptwin::hw {

// Makes the job of one rank; `team` has the others.
using MakeJob = std::function<std::unique_ptr<Job>(Team& team, Stop& stop)>;

// The processes that mpirun has started, for whoever does not know MPI. In a build without it there
// are none.
class Processes {
 public:
  Processes() = default;
  virtual ~Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  // This one of them, from 0; process 0 reports.
  virtual std::int32_t process() const = 0;

  // Runs a Program with a rank in every process. All of them call it, with the same Program,
  // options and `how`, which says what else is to be the same. At process 0, what execute() gives
  // there; `clock_bound_ns` is how far times of different processes can be off.
  virtual std::variant<Run, Deadlock> run(const Program& program, std::string_view how,
                                          const MakeJob& make_job, const RunOptions& options,
                                          TimeNs& clock_bound_ns) = 0;
  // A job on the CPU, for run().
  virtual std::unique_ptr<Job> host_job(const Program& program, std::int32_t rank,
                                        const HostSettings& settings, Stop& stop) = 0;

  // Says why, in these words, and ends all of them with this status.
  [[noreturn]] virtual void abort(const std::string& reason, int status) = 0;
};

// Whether mpirun has started this process, with others.
bool are_started_by_mpirun();

// Null where this process was not started by mpirun, with others. To be called before any thread
// is made, and kept until all are over.
std::unique_ptr<Processes> mpi_processes();

}  // namespace steptwin::hw
