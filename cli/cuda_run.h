#pragma once

#include <string>
#include <variant>

#include "cli/host_run.h"
#include "hw/executor.h"
#include "hw/mpi/processes.h"
#include "model/program.h"

namespace steptwin::cli {

// The name of this machine's GPUs. Throws hw::MachineError, and says why, if there are none to run
// on.
std::string gpu_name();

// As on the host, of which the options are: launches and links are real ones with kernels of either
// mode.
std::variant<hw::Run, Deadlock> run_on_cuda(const Program& program, const HostRunOptions& options);
// The same with a rank in each process that mpirun has started.
ProcessRun run_on_cuda(const Program& program, const HostRunOptions& options,
                       hw::Processes& processes);

}  // namespace steptwin::cli
