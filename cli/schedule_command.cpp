#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/scenario_input.h"
#include "cli/schedule_forms.h"
#include "model/size_limit.h"
#include "reports/grid.h"

namespace steptwin::cli {
namespace {

struct ScheduleOptions : Options {
  std::string format = "steps";
};

ScheduleText text_of(const Schedule& schedule, const ScheduleOptions& options) {
  if (options.format != "grid") {
    return schedule_text(schedule, schedule_form_named(options.format));
  }
  reports::GridOptions grid;
  grid.color = use_color(options);
  grid.width = static_cast<std::size_t>(terminal_width());
  return {reports::grid_text(schedule, grid), {}};
}

int schedule_command(const ScheduleOptions& options) {
  const ScenarioInput input(options);
  const Scenario& scenario = input.scenario();
  std::optional<Progress> progress;
  progress.emplace(progress_options(options), estimated_kernels(scenario),
                   std::vector{phase::kSchedule, phase::kWriteSchedule});
  const Schedule schedule = input.schedule();
  progress->begin(phase::kWriteSchedule);
  const ScheduleText written = text_of(schedule, options);
  progress.reset();
  print(written.text);
  print_notes(options.input, written.losses);
  return kDone;
}

}  // namespace

void add_schedule_command(CLI::App& program, Action& action) {
  auto options = std::make_shared<ScheduleOptions>();
  CLI::App* command =
      add_command(program, "schedule", "Print the schedule of a scenario",
                  "steptwin schedule scenarios/moe_overlap_hooks.toml --format grid");
  add_scenario_options(*command, *options, "The scenario (TOML)");
  std::vector<std::string> formats = schedule_form_names();
  formats.emplace_back("grid");
  command
      ->add_option("--format", options->format,
                   std::string(kScheduleFormsHelp) +
                       " What PyTorch's cannot express is said on standard "
                       "error. grid: a picture")
      ->check(CLI::IsMember(formats))
      ->type_name("FORMAT");
  command->add_option("--color", options->color, "Colour the grid: auto, always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  command->callback(
      [options, &action] { action = [options] { return schedule_command(*options); }; });
}

}  // namespace steptwin::cli
