#pragma once

#include <optional>
#include <string>
#include <variant>

#include "hw/executor.h"
#include "hw/mpi/processes.h"
#include "model/program.h"

namespace steptwin::cli {

// How a Program is run on the CPU of this machine.
struct HostRunOptions {
  bool timed = false;
  int repeat = 5;
  int warmup = 1;
  double deadline_s = 10;
  bool traced = true;
  double flops_per_second = 0;  // for real kernels; 0: measured first
};

// The same for the executor; what of the model is emulated depends on what it runs on.
hw::RunOptions run_options(const HostRunOptions& options, const hw::Emulation& emulation);

std::variant<hw::Run, Deadlock> run_on_host(const Program& program, const HostRunOptions& options);

// The same with a rank in each process that mpirun has started.
struct ProcessRun {
  std::variant<hw::Run, Deadlock> outcome;
  TimeNs clock_bound_ns = 0;  // by how much times of different processes can be off
};
ProcessRun run_on_processes(const Program& program, const HostRunOptions& options,
                            hw::Processes& processes);

}  // namespace steptwin::cli
