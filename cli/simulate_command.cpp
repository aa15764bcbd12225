#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/deadlock_text.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "cli/run_report.h"
#include "cli/scenario_input.h"
#include "deadlocks/way_out.h"
#include "model/scenario_program.h"
#include "model/scenario_schedule.h"
#include "model/size_limit.h"
#include "reports/metrics.h"
#include "reports/summary_json.h"
#include "reports/timeline_text.h"
#include "sim/simulate.h"

namespace steptwin::cli {
namespace {

std::vector<Phase> plan_of(const SimulateOptions& options) {
  using namespace phase;
  std::vector<Phase> plan{kSchedule, kLower, kSimulate, kFigures};
  if (!options.out.empty()) {
    plan.insert(plan.begin() + 2, kWriteSchedule);
    const std::vector<Phase> outputs = output_phases();
    plan.insert(plan.end(), outputs.begin(), outputs.end());
  }
  return plan;
}

std::string terminal_text(const SimulateOptions& options, const Scenario& scenario,
                          const Schedule& schedule, const Trace& trace,
                          const reports::Metrics& metrics) {
  std::string text = run_text(options, scenario, schedule, metrics, "");
  if (options.timeline) {
    reports::TimelineOptions timeline;
    timeline.color = use_color(options);
    timeline.width = terminal_width();
    text += "\n" + reports::timeline_text(trace, timeline);
  }
  if (!options.out.empty()) text += fmt::format("\nWritten to {}\n", options.out);
  return text;
}

}  // namespace

int simulate_command(const SimulateOptions& options) {
  const ScenarioInput input(options);
  const Scenario& scenario = input.scenario();
  Progress progress(progress_options(options), estimated_kernels(scenario), plan_of(options));
  const Schedule schedule = input.schedule();
  progress.begin(phase::kLower);
  const Program program = scenario_program(schedule, scenario);
  progress.count(program.kernels.size());
  std::optional<RunFolder> folder;
  if (!options.out.empty()) {
    progress.begin(phase::kWriteSchedule);
    progress.leave_signals();
    folder.emplace(options.out, options.force, [&progress] { progress.clear(); });
    write_inputs(*folder, scenario, schedule);
  }
  progress.begin(phase::kSimulate);
  std::variant<Trace, sim::Deadlock> outcome = sim::simulate(program);
  if (auto* deadlock = std::get_if<sim::Deadlock>(&outcome)) {
    const ExplainedDeadlock found =
        explained(schedule, scenario, program, std::move(*deadlock), make_schedule);
    progress.finish();
    report_deadlock(options, found, folder);
    return kFinding;
  }
  const auto& trace = std::get<Trace>(outcome);
  progress.begin(phase::kFigures);
  const reports::Metrics metrics = reports::compute_metrics(trace);
  if (folder) write_outputs(*folder, trace, reports::summary_json(metrics), progress);
  std::string text;
  if (options.json) {
    text = reports::summary_json(metrics);
  } else if (!options.quiet) {
    text = terminal_text(options, scenario, schedule, trace, metrics);
  }
  progress.finish();
  print(text);
  return kDone;
}

}  // namespace steptwin::cli
