#include "cli/cuda_run.h"

#include <memory>

#include "hw/cuda/backend.h"

namespace steptwin::cli {
namespace {

hw::cuda::Settings settings_of(const HostRunOptions& options) {
  hw::cuda::Settings settings;
  settings.kernels = options.timed ? hw::KernelMode::timed : hw::KernelMode::real;
  return settings;
}

// Launches and links are the device's own.
constexpr hw::Emulation kNothing{false, false};

}  // namespace

std::string gpu_name() {
  const hw::cuda::Probe found = hw::cuda::probe();
  if (found.devices == 0) throw hw::MachineError("--backend cuda finds no GPU: " + found.reason);
  return found.name;
}

std::variant<hw::Run, Deadlock> run_on_cuda(const Program& program, const HostRunOptions& options) {
  hw::Stop stop;
  const std::unique_ptr<hw::Job> job = hw::cuda::make_job(program, settings_of(options), stop);
  return hw::execute(program, *job, stop, run_options(options, kNothing));
}

ProcessRun run_on_cuda(const Program& program, const HostRunOptions& options,
                       hw::Processes& processes) {
  const auto make_job = [&](hw::Team& team, hw::Stop& stop) {
    return hw::cuda::make_job(program, settings_of(options), stop, &team);
  };
  ProcessRun run;
  run.outcome = processes.run(program, options.timed ? "cuda timed" : "cuda real", make_job,
                              run_options(options, kNothing), run.clock_bound_ns);
  return run;
}

}  // namespace steptwin::cli
