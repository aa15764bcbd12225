#include "cli/measured_setting.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <variant>

#include "cli/host_run.h"

namespace steptwin::cli {
namespace {

hw::Run run_of(const Program& program, const std::string& name, const HostRunOptions& options) {
  auto outcome = run_on_host(program, options);
  if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) {
    throw hw::MachineError(
        fmt::format("{} hangs, which its simulation does not: {}", name, deadlock->cycle_text));
  }
  return std::get<hw::Run>(std::move(outcome));
}

// One number to tell the less disturbed of two runs by.
double amount_of(const hw::Disturbance& disturbance) {
  return std::max(std::abs(disturbance.rate_change), disturbance.stolen);
}

hw::Run undisturbed_run(const Program& program, const std::string& name, HostRunOptions options,
                        DisturbedRuns& disturbed) {
  constexpr int kTries = 5;
  const hw::Stop never;
  std::optional<hw::Run> best;
  double least = 0;
  for (int tries = 1;; ++tries) {
    const hw::DisturbanceWatch watch(never);
    options.flops_per_second = watch.flops_per_second();
    hw::Run run = run_of(program, name, options);
    const hw::Disturbance disturbance = watch.end();
    ++disturbed.runs;
    if (is_small(disturbance)) return run;
    const double amount = amount_of(disturbance);
    if (!best || amount < least) {
      best = std::move(run);
      least = amount;
    }
    if (tries == kTries) break;
    ++disturbed.repeated;
  }
  ++disturbed.kept;
  return *std::move(best);
}

}  // namespace

void measure_setting(const Program& program, const std::string& name, bool timed, int steps,
                     MeasuredSetting& setting, DisturbedRuns& disturbed) {
  HostRunOptions options;
  options.timed = timed;
  options.repeat = steps;
  const auto run = [&] {
    return timed ? run_of(program, name, options)
                 : undisturbed_run(program, name, options, disturbed);
  };
  const auto append = [](std::vector<TimeNs>& all, const std::vector<TimeNs>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  const hw::Run traced = run();
  append(setting.steps, traced.step_ns);
  append(setting.drained, traced.drained_ns);
  for (const Trace& trace : traced.traces) {
    setting.metrics.push_back(reports::compute_metrics(trace));
  }
  options.traced = false;
  append(setting.bare_steps, run().step_ns);
}

}  // namespace steptwin::cli
