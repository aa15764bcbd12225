#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/scenario_input.h"
#include "cli/schedule_forms.h"
#include "model/scenario_program.h"
#include "model/size_limit.h"
#include "reports/grid.h"
#include "reports/timeline_text.h"
#include "sim/simulate.h"

namespace steptwin::cli {
namespace {

std::string slot_grid(const Schedule& schedule, const ScheduleOptions& options) {
  reports::GridOptions grid;
  grid.color = use_color(options);
  grid.width = static_cast<std::size_t>(terminal_width());
  return reports::grid_text(schedule, grid);
}

// When what runs shows only in a simulation. One that hangs has no times.
ScheduleText timed_grid(const Schedule& schedule, const Scenario& scenario,
                        const ScheduleOptions& options) {
  const Program program = scenario_program(schedule, scenario);
  const auto outcome = sim::simulate(program, {.host_records = false});
  const auto* trace = std::get_if<Trace>(&outcome);
  if (trace == nullptr) {
    return {slot_grid(schedule, options),
            {"it hangs, as steptwin check explains: columns are slots of the lists, not time"}};
  }
  reports::TimelineOptions timeline;
  timeline.color = use_color(options);
  timeline.width = terminal_width();
  timeline.bubbles = true;
  return {reports::timeline_text(*trace, timeline), {}};
}

ScheduleText text_of(const Schedule& schedule, const Scenario& scenario,
                     const ScheduleOptions& options) {
  if (options.format != "grid") {
    return schedule_text(schedule, schedule_form_named(options.format));
  }
  if (options.columns == "slots") return {slot_grid(schedule, options), {}};
  return timed_grid(schedule, scenario, options);
}

}  // namespace

int schedule_command(const ScheduleOptions& options) {
  const ScenarioInput input(options);
  const Scenario& scenario = input.scenario();
  std::optional<Progress> progress;
  progress.emplace(progress_options(options), estimated_kernels(scenario),
                   std::vector{phase::kSchedule, phase::kWriteSchedule});
  const Schedule schedule = input.schedule();
  progress->begin(phase::kWriteSchedule);
  const ScheduleText written = text_of(schedule, scenario, options);
  progress.reset();
  print(written.text);
  print_notes(options.input, written.losses);
  return kDone;
}

}  // namespace steptwin::cli
