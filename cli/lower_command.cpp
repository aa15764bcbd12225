#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/scenario_input.h"
#include "model/formats/program_json.h"
#include "model/lowering/lower.h"
#include "model/size_limit.h"
#include "model/validate.h"

namespace steptwin::cli {

int lower_command(const Options& options) {
  const ScenarioInput input(options);
  const Scenario& scenario = input.scenario();
  std::optional<Progress> progress;
  progress.emplace(progress_options(options), estimated_kernels(scenario),
                   std::vector{phase::kSchedule, phase::kLower, phase::kWriteProgram});
  const Schedule schedule = input.schedule();
  progress->begin(phase::kLower);
  const Program program = lower(schedule, scenario);
  validate(program);
  progress->count(program.kernels.size());
  progress->begin(phase::kWriteProgram);
  const std::string json = program_json(program);
  progress.reset();
  print(json);
  return kDone;
}

}  // namespace steptwin::cli
