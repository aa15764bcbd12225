#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/check_report.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/scenario_input.h"
#include "deadlocks/transport_table.h"
#include "model/check.h"
#include "model/check_hooks.h"
#include "model/error.h"
#include "model/formats/recognise.h"
#include "model/formats/schedule_file.h"
#include "model/lowering/lower.h"
#include "model/scenario_schedule.h"
#include "model/size_limit.h"
#include "model/validate.h"
#include "sim/simulate.h"

namespace steptwin::cli {
namespace {

// Kernels of all transports and queues together, some ten seconds.
constexpr std::size_t kMostTableKernels = 10'000'000;

bool is_schedule_file(const std::string& path) {
  return !path.ends_with(".toml");
}

// A schedule on its own has no costs; every chunk takes a millisecond, which is enough to find out
// whether it hangs. Its stages need not spread evenly over its ranks: which rank holds which is
// the schedule's to say, and the scenario gives no more than their number and costs.
Scenario scenario_around(const Schedule& schedule, const std::string& file) {
  Scenario scenario;
  scenario.file = file;
  scenario.pipeline.schedule_at.file = file;
  scenario.pipeline.micro_batches_at.file = file;
  scenario.pipeline.ranks = schedule.stages.stages();
  scenario.pipeline.chunks_per_rank = 1;
  scenario.pipeline.micro_batches = schedule.micro_batches;
  scenario.pipeline.schedule = schedule.name;
  scenario.stage.given = true;
  scenario.stage.forward_us = {1000};
  scenario.stage.backward_input_us = {1000};
  scenario.stage.backward_weight_us = {1000};
  return scenario;
}

// What is to be checked: a scenario's schedule, or one from a file and a scenario around it.
struct Subject {
  Scenario scenario;
  std::optional<Schedule> schedule;  // from a file, as it stands there
  std::optional<ScenarioInput> input;
  std::vector<std::string> notes;  // on how the schedule was read
};

Subject load(const CheckOptions& options) {
  if (!is_schedule_file(options.input)) {
    if (options.lenient) {
      throw Error({options.input, 0, 0}, "--lenient is about a schedule in PyTorch's CSV",
                  "the schedule itself, not a scenario");
    }
    Subject subject;
    subject.input.emplace(options);
    subject.scenario = subject.input->scenario();
    if (subject.scenario.pipeline.schedule_file.empty()) return subject;
    // What is wrong with a schedule is a finding here; elsewhere it is an error.
    Schedule as_in_file = read_schedule_file(subject.scenario, Misplaced::kept).placed.schedule;
    if (!check_schedule(as_in_file).empty()) subject.schedule = std::move(as_in_file);
    return subject;
  }
  if (!options.sets.empty()) {
    throw Error({options.input, 0, 0}, "a schedule has no keys for --set",
                "a scenario, whose file is named .toml");
  }
  const std::string text = read_file(options.input);
  const TorchReadOptions reading{options.lenient};
  Schedule schedule = read_schedule(text, options.input, Misplaced::kept, reading);
  Scenario scenario = scenario_around(schedule, options.input);
  refuse_if_too_large(scenario);
  return {std::move(scenario), std::move(schedule), std::nullopt,
          reading_notes(text, options.input, reading)};
}

CheckResult check(const Schedule& schedule, const Scenario& scenario,
                  const deadlocks::MakeSchedule& make, Progress& progress) {
  CheckResult result;
  progress.begin(phase::kCheck);
  result.findings = check_schedule(schedule);
  if (!result.findings.empty()) {
    result.why_not_simulated = "there are findings";
    return result;
  }
  // Where they leave a thread waiting the schedule is right, and what hangs is shown below.
  result.findings = check_hooks(schedule, scenario);
  result.transfers_unchecked = schedule.ranks.size() > 1 && !has_transfers(schedule);
  progress.begin(phase::kLower);
  const Program program = lower(schedule, scenario);
  validate(program);
  progress.count(program.kernels.size());
  progress.begin(phase::kSimulate);
  auto outcome = sim::simulate(program, {.host_records = false});
  if (auto* deadlock = std::get_if<sim::Deadlock>(&outcome)) {
    result.deadlock = explained(schedule, scenario, program, std::move(*deadlock), make);
  }
  if (has_transfers(schedule)) {
    progress.begin(phase::kTryTransports);
    result.table = deadlocks::transport_table(schedule, scenario, make, kMostTableKernels);
  }
  return result;
}

CheckResult check(Subject subject, const ProgressOptions& options) {
  Progress progress(
      options, estimated_kernels(subject.scenario),
      {phase::kSchedule, phase::kCheck, phase::kLower, phase::kSimulate, phase::kTryTransports});
  if (!subject.schedule) {
    return check(subject.input->schedule(), subject.scenario, make_schedule, progress);
  }
  Schedule schedule = *std::move(subject.schedule);
  const auto as_given = [&schedule](const Scenario&) { return schedule; };
  return check(schedule, subject.scenario, as_given, progress);
}

}  // namespace

int check_command(const CheckOptions& options) {
  Subject subject = load(options);
  const std::vector<std::string> notes = std::move(subject.notes);
  const CheckResult result = check(std::move(subject), progress_options(options));
  print_notes(options.input, notes);
  const auto width = static_cast<std::size_t>(terminal_width());
  print(options.json ? check_json(result) : check_text(result, options.quiet, width));
  return has_findings(result) ? kFinding : kDone;
}

}  // namespace steptwin::cli
