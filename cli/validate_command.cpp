#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/host_run.h"
#include "cli/machine_report.h"
#include "cli/machine_source.h"
#include "cli/scenario_input.h"
#include "cli/validation.h"
#include "model/error.h"
#include "model/formats/quoted_text.h"
#include "model/formats/toml_document.h"
#include "model/lowering/lower.h"
#include "model/validate.h"
#include "reports/metrics.h"
#include "sim/simulate.h"

namespace steptwin::cli {
namespace {

constexpr int kRounds = 3;

// One setting on its way: the Program to run, and what has been measured of it so far.
struct Measurement {
  std::string name;
  Program program;
  std::vector<TimeNs> steps;    // traced
  std::vector<TimeNs> drained;  // of the same, as without tracing
  std::vector<reports::Metrics> metrics;
  std::vector<TimeNs> bare_steps;
};

std::vector<ValidationCase> cases_of(const ValidateOptions& options) {
  if (options.cases.empty()) return {{options.input, {}, "", {}}};
  return read_validation_cases(read_file(options.cases, kMostTomlBytes), options.cases);
}

// The command's own scenario is told of as everywhere; a setting of a file, by its place there.
[[noreturn]] void refuse_case(const ValidationCase& which, const Error& error) {
  if (which.position.file.empty()) throw error;
  const std::string& file = error.position().file;
  throw Error(which.position,
              fmt::format("in {}: {}{}", quoted_text(which.name), file.empty() ? "" : file + ": ",
                          error.wrong()),
              error.expected());
}

Measurement measurement_of(const ValidateOptions& options, const ValidationCase& which) {
  const Options& common = options;
  Options with = common;
  if (!which.scenario.empty()) with.input = which.scenario;
  with.sets.insert(with.sets.end(), which.sets.begin(), which.sets.end());
  Measurement measurement;
  measurement.name = which.name;
  try {
    const ScenarioInput input(with);
    measurement.program = lower(input.schedule(), input.scenario());
    validate(measurement.program);
  } catch (const Error& error) {
    refuse_case(which, error);
  }
  return measurement;
}

[[noreturn]] void refuse_deadlock(const std::string& name, const Deadlock& deadlock) {
  throw Error(fmt::format("{} does not come to its end: {}", name, deadlock.cycle_text),
              "a schedule that runs; steptwin check tells more");
}

hw::Run run_of(const Measurement& measurement, const HostRunOptions& options) {
  auto outcome = run_on_host(measurement.program, options);
  if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) {
    refuse_deadlock(measurement.name, *deadlock);
  }
  return std::get<hw::Run>(std::move(outcome));
}

// Runs every setting in turn, round after round, so that a machine that becomes slower meanwhile
// does so for all of them. How fast it is at products is measured before each run: on a machine
// that shares its cores with others that changes from second to second.
void measure(std::vector<Measurement>& measurements, const ValidateOptions& options) {
  HostRunOptions run;
  run.timed = options.kernels == "timed";
  run.repeat = std::max(1, options.repeat / kRounds);
  for (int round = 0; round < kRounds; ++round) {
    for (Measurement& measurement : measurements) {
      run.traced = true;
      const hw::Run traced = run_of(measurement, run);
      measurement.steps.insert(measurement.steps.end(), traced.step_ns.begin(),
                               traced.step_ns.end());
      measurement.drained.insert(measurement.drained.end(), traced.drained_ns.begin(),
                                 traced.drained_ns.end());
      for (const Trace& trace : traced.traces) {
        measurement.metrics.push_back(reports::compute_metrics(trace));
      }
      run.traced = false;
      const hw::Run bare = run_of(measurement, run);
      measurement.bare_steps.insert(measurement.bare_steps.end(), bare.step_ns.begin(),
                                    bare.step_ns.end());
    }
  }
}

Trace simulated(const Measurement& measurement, const Machine& machine, MachineKernels kernels) {
  const Program program = calibrated(measurement.program, machine, kernels);
  auto outcome = sim::simulate(program);
  if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) {
    refuse_deadlock(measurement.name, *deadlock);
  }
  return std::get<Trace>(std::move(outcome));
}

CaseResult result_of(const Measurement& measurement, const Machine& machine,
                     MachineKernels kernels) {
  CaseResult result;
  result.name = measurement.name;
  result.measured = reports::repeated_steps(measurement.steps);
  result.traced_ns = reports::repeated_steps(measurement.drained).median_ns;
  result.bare_ns = reports::repeated_steps(measurement.bare_steps).median_ns;
  const reports::Metrics& measured = measurement.metrics[result.measured.median_step];
  Trace trace = simulated(measurement, machine, kernels);
  trace.begin_ns = 0;  // as the release of a real step's ranks
  const reports::Metrics predicted = reports::compute_metrics(trace);
  result.simulated_ns = predicted.step_time_ns;
  result.measured_bubble = measured.bubble_ratio.value_or(0);
  result.simulated_bubble = predicted.bubble_ratio.value_or(0);
  result.measured_overlap = measured.overlap_ratio.value_or(0);
  result.simulated_overlap = predicted.overlap_ratio.value_or(0);
  return result;
}

}  // namespace

int validate_command(const ValidateOptions& options) {
  std::vector<Measurement> measurements;
  for (const ValidationCase& which : cases_of(options)) {
    measurements.push_back(measurement_of(options, which));
  }
  const MachineKernels kernels =
      options.kernels == "timed" ? MachineKernels::timed : MachineKernels::real;
  const Machine machine = machine_from(options.machine, 1, options.quiet);
  for (const Measurement& each : measurements) (void)simulated(each, machine, kernels);
  measure(measurements, options);
  std::vector<CaseResult> results;
  results.reserve(measurements.size());
  for (const Measurement& each : measurements) {
    results.push_back(result_of(each, machine, kernels));
  }
  const ValidationTotals totals = totals_of(results);
  if (options.json) {
    print(validation_json(results, totals));
  } else if (!options.quiet) {
    print(machine_report(machine) + "\n" +
          validation_text(results, totals, static_cast<std::size_t>(terminal_width()),
                          use_color(options)));
  }
  const bool is_off =
      options.max_error_percent > 0 && totals.worst_error * 100 > options.max_error_percent;
  return is_off ? kFinding : kDone;
}

}  // namespace steptwin::cli
