#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/machine_report.h"
#include "cli/machine_source.h"
#include "cli/measured_setting.h"
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

// One setting on its way.
struct Setting {
  std::string name;
  Program program;
  reports::Metrics predicted;
  MeasuredSetting measured;
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

Program program_of(const Options& options) {
  const ScenarioInput input(options);
  Program program = lower(input.schedule(), input.scenario());
  validate(program);
  const auto outcome = sim::simulate(program, {.host_records = false});
  if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) {
    throw Error(fmt::format("{} does not come to its end: {}", options.input, deadlock->cycle_text),
                "a schedule that runs; steptwin check tells more");
  }
  return program;
}

Setting setting_of(const ValidateOptions& options, const ValidationCase& which) {
  const Options& common = options;
  Options with = common;
  if (!which.scenario.empty()) with.input = which.scenario;
  with.sets.insert(with.sets.end(), which.sets.begin(), which.sets.end());
  try {
    return {which.name, program_of(with), {}, {}};
  } catch (const Error& error) {
    refuse_case(which, error);
  }
}

// Every setting in turn, round after round, so that a machine that becomes slower meanwhile does so
// for all of them.
DisturbedRuns measure(std::vector<Setting>& settings, const ValidateOptions& options) {
  DisturbedRuns disturbed;
  for (int round = 0; round < kRounds; ++round) {
    const int steps = (options.repeat + kRounds - 1 - round) / kRounds;
    if (steps == 0) continue;
    for (Setting& setting : settings) {
      measure_setting(setting.program, setting.name, options.kernels == "timed", steps,
                      setting.measured, disturbed);
    }
  }
  return disturbed;
}

reports::Metrics predicted(const Setting& setting, const Machine& machine, MachineKernels kernels) {
  auto outcome = sim::simulate(calibrated(setting.program, machine, kernels));
  if (const auto* deadlock = std::get_if<Deadlock>(&outcome)) {
    throw Error(fmt::format("{}, calibrated, does not come to its end: {}", setting.name,
                            deadlock->cycle_text),
                "a schedule that runs; steptwin check tells more");
  }
  auto& trace = std::get<Trace>(outcome);
  trace.begin_ns = 0;  // as the release of a real step's ranks
  return reports::compute_metrics(trace);
}

CaseResult result_of(const Setting& setting) {
  const MeasuredSetting& measured = setting.measured;
  CaseResult result;
  result.name = setting.name;
  result.measured = reports::repeated_steps(measured.steps);
  result.traced_ns = reports::repeated_steps(measured.drained).median_ns;
  result.bare_ns = reports::repeated_steps(measured.bare_steps).median_ns;
  const reports::Metrics& median = measured.metrics[result.measured.median_step];
  result.simulated_ns = setting.predicted.step_time_ns;
  result.measured_bubble = median.bubble_ratio;
  result.simulated_bubble = setting.predicted.bubble_ratio;
  result.measured_overlap = median.overlap_ratio;
  result.simulated_overlap = setting.predicted.overlap_ratio;
  return result;
}

}  // namespace

int validate_command(const ValidateOptions& options) {
  require_one_process("validate");
  std::vector<Setting> settings;
  for (const ValidationCase& which : cases_of(options)) {
    settings.push_back(setting_of(options, which));
  }
  const MachineKernels kernels =
      options.kernels == "timed" ? MachineKernels::timed : MachineKernels::real;
  const Machine machine = machine_from(options.machine, 1, options.quiet);
  for (Setting& each : settings) each.predicted = predicted(each, machine, kernels);
  const DisturbedRuns disturbed = measure(settings, options);
  std::vector<CaseResult> results;
  results.reserve(settings.size());
  for (const Setting& each : settings) results.push_back(result_of(each));
  const ValidationTotals totals = totals_of(results);
  if (options.json) {
    print(validation_json(results, totals, disturbed));
  } else if (!options.quiet) {
    print(machine_report(machine) + "\n" +
          validation_text(results, totals, disturbed, static_cast<std::size_t>(terminal_width()),
                          use_color(options)));
  }
  const bool is_off =
      options.max_error_percent > 0 && totals.worst_error * 100 > options.max_error_percent;
  return is_off ? kFinding : kDone;
}

}  // namespace steptwin::cli
