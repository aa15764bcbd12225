#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/load.h"
#include "model/formats/meta_step_text.h"
#include "model/formats/steps_text.h"
#include "model/scenario_schedule.h"
#include "reports/grid.h"

namespace steptwin::cli {
namespace {

struct ScheduleOptions : Options {
  std::string format = "steps";
};

int schedule_command(const ScheduleOptions& options) {
  const Schedule schedule = make_schedule(load_scenario(options));
  if (options.format == "grid") {
    reports::GridOptions grid;
    grid.color = use_color(options);
    grid.width = static_cast<std::size_t>(terminal_width());
    print(reports::grid_text(schedule, grid));
  } else {
    print(options.format == "steps" ? steps_text(schedule) : meta_step_text(schedule));
  }
  return kDone;
}

}  // namespace

void add_schedule_command(CLI::App& program, Action& action) {
  auto options = std::make_shared<ScheduleOptions>();
  CLI::App* command =
      add_command(program, "schedule", "Print the schedule of a scenario",
                  "steptwin schedule scenarios/moe_overlap_hooks.toml --format grid");
  add_scenario_options(*command, *options, "The scenario (TOML)");
  command
      ->add_option("--format", options->format,
                   "steps: compact text; metastep: as the Python class prints itself; grid: a "
                   "picture")
      ->check(CLI::IsMember({"steps", "metastep", "grid"}))
      ->type_name("FORMAT");
  command->add_option("--color", options->color, "Colour the grid: auto, always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  command->callback(
      [options, &action] { action = [options] { return schedule_command(*options); }; });
}

}  // namespace steptwin::cli
