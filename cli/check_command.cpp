#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <variant>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/deadlock_text.h"
#include "cli/files.h"
#include "cli/load.h"
#include "model/check.h"
#include "model/error.h"
#include "model/formats/recognise.h"
#include "model/lowering/lower.h"
#include "model/scenario_schedule.h"
#include "model/size_limit.h"
#include "model/validate.h"
#include "sim/simulate.h"

namespace steptwin::cli {
namespace {

struct Checked {
  Scenario scenario;
  Schedule schedule;
};

bool is_schedule_file(const std::string& path) {
  return !path.ends_with(".toml");
}

// A schedule on its own has no costs; every chunk takes a millisecond, which is enough to find out
// whether it hangs.
Scenario scenario_around(const Schedule& schedule, const std::string& file) {
  Scenario scenario;
  scenario.file = file;
  scenario.pipeline.schedule_at.file = file;
  scenario.pipeline.micro_batches_at.file = file;
  scenario.pipeline.ranks = static_cast<std::int32_t>(schedule.ranks.size());
  scenario.pipeline.chunks_per_rank =
      std::max(1, schedule.stages.stages() / std::max(1, scenario.pipeline.ranks));
  scenario.pipeline.micro_batches = schedule.micro_batches;
  scenario.pipeline.schedule = schedule.name;
  scenario.stage.given = true;
  scenario.stage.forward_us = {1000};
  scenario.stage.backward_input_us = {1000};
  scenario.stage.backward_weight_us = {1000};
  return scenario;
}

Checked load(const Options& options) {
  if (!is_schedule_file(options.input)) {
    const Scenario scenario = load_scenario(options);
    return {scenario, make_schedule(scenario)};
  }
  if (!options.sets.empty()) {
    throw Error({options.input, 0, 0}, "a schedule has no keys for --set",
                "a scenario, whose file is named .toml");
  }
  const Schedule schedule = read_schedule(read_file(options.input), options.input);
  const Scenario scenario = scenario_around(schedule, options.input);
  refuse_if_too_large(scenario);
  return {scenario, schedule};
}

// Why the schedule cannot be simulated, or "".
std::string unrunnable(const Checked& checked) {
  if (checked.schedule.stages.stages() != checked.scenario.stages()) {
    return fmt::format("{} stages do not spread evenly over {} ranks",
                       checked.schedule.stages.stages(), checked.scenario.pipeline.ranks);
  }
  for (const StepList& list : checked.schedule.ranks) {
    for (const Slot& slot : list) {
      if (!slot) continue;
      const bool known = is_compute(slot->type) || is_p2p(slot->type) || is_overlap(slot->type) ||
                         slot->type == StepType::batch_send_recv;
      if (!known) {
        return fmt::format("{} cannot be run in this version", name_of(slot->type));
      }
    }
  }
  return "";
}

bool has_transfers(const Schedule& schedule) {
  bool found = false;
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) {
      if (slot) for_each_leaf(*slot, [&](const Step& step) { found = found || is_p2p(step.type); });
    }
  }
  return found;
}

int report_findings(const Options& options, const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding_text(finding) + "\n";
  if (!options.quiet) {
    text += fmt::format("{} finding{}{}; not simulated\n", findings.size(),
                        findings.size() == 1 ? "" : "s",
                        findings.size() == kMostFindings ? " or more" : "");
  }
  print(text);
  return kFinding;
}

int check_command(const Options& options) {
  const Checked checked = load(options);
  const std::vector<Finding> findings = check_schedule(checked.schedule);
  if (!findings.empty()) return report_findings(options, findings);
  const std::string why_not = unrunnable(checked);
  if (!why_not.empty()) {
    if (!options.quiet) print(fmt::format("No static findings; not simulated: {}\n", why_not));
    return kDone;
  }
  const Program program = lower(checked.schedule, checked.scenario);
  validate(program);
  const auto outcome = sim::simulate(program, {.host_records = false});
  if (const auto* deadlock = std::get_if<sim::Deadlock>(&outcome)) {
    print(deadlock_text(*deadlock));
    return kFinding;
  }
  if (options.quiet) return kDone;
  if (checked.schedule.ranks.size() > 1 && !has_transfers(checked.schedule)) {
    print(
        "No findings: the schedule is complete. It has no transfers, so what its ranks wait for "
        "from each other is not checked.\n");
  } else {
    print("No findings: the schedule is complete and runs to its end.\n");
  }
  return kDone;
}

}  // namespace

void add_check_command(CLI::App& program, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "check", "Check a schedule: is it complete, do its transfers pair, does it hang",
      "steptwin check scenarios/early_receive.toml");
  add_scenario_options(*command, *options,
                       "The scenario (.toml), or a schedule in any format that is read");
  command->add_flag("--quiet", options->quiet, "Print findings only");
  command->callback([options, &action] { action = [options] { return check_command(*options); }; });
}

}  // namespace steptwin::cli
