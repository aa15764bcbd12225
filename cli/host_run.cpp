#include "cli/host_run.h"

#include <chrono>

#include "hw/calibrate/product_rate.h"
#include "hw/host/job.h"
#include "hw/host/room.h"

namespace steptwin::cli {
namespace {

hw::HostSettings settings_of(const HostRunOptions& options) {
  hw::HostSettings settings;
  if (options.timed) return settings;
  constexpr std::chrono::milliseconds kEffort{200};
  const hw::Stop never;
  settings.kernels = hw::KernelMode::real;
  settings.flops_per_second =
      options.flops_per_second > 0 ? options.flops_per_second : hw::product_rate(kEffort, 1, never);
  return settings;
}

// Real products share the cores with real copies: no modelled time is added to them.
hw::Emulation emulation_of(const HostRunOptions& options) {
  return {options.timed, options.timed};
}

}  // namespace

hw::RunOptions run_options(const HostRunOptions& options, const hw::Emulation& emulation) {
  hw::RunOptions run;
  run.repeat = options.repeat;
  run.warmup = options.warmup;
  run.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(options.deadline_s));
  run.traced = options.traced;
  run.emulation = emulation;
  return run;
}

std::variant<hw::Run, Deadlock> run_on_host(const Program& program, const HostRunOptions& options) {
  hw::refuse_if_too_large(program);
  hw::Stop stop;
  hw::HostJob job(program, settings_of(options), stop);
  return hw::execute(program, job, stop, run_options(options, emulation_of(options)));
}

ProcessRun run_on_processes(const Program& program, const HostRunOptions& options,
                            hw::Processes& processes) {
  const auto make_job = [&](hw::Team& team, hw::Stop& stop) {
    hw::refuse_if_too_large(program, team.process(), team.processes_on_machine());
    return processes.host_job(program, team.process(), settings_of(options), stop);
  };
  ProcessRun run;
  run.outcome = processes.run(program, options.timed ? "host timed" : "host real", make_job,
                              run_options(options, emulation_of(options)), run.clock_bound_ns);
  return run;
}

}  // namespace steptwin::cli
