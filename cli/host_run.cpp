#include "cli/host_run.h"

#include <chrono>

#include "hw/calibrate/product_rate.h"
#include "hw/host/job.h"

namespace steptwin::cli {

std::variant<hw::Run, Deadlock> run_on_host(const Program& program, const HostRunOptions& options) {
  hw::Stop stop;
  hw::HostSettings settings;
  if (!options.timed) {
    constexpr std::chrono::milliseconds kEffort{200};
    settings.kernels = hw::KernelMode::real;
    settings.flops_per_second =
        options.flops_per_second > 0 ? options.flops_per_second : hw::product_rate(kEffort, stop);
  }
  hw::RunOptions run;
  run.repeat = options.repeat;
  run.warmup = options.warmup;
  run.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(options.deadline_s));
  run.traced = options.traced;
  // Real products share the cores with real copies: no modelled time is added to them.
  run.emulation.links = run.emulation.host_costs = options.timed;
  hw::HostJob job(program, settings, stop);
  return hw::execute(program, job, stop, run);
}

}  // namespace steptwin::cli
