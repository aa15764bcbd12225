#include "deadlocks/trial.h"

#include <utility>
#include <variant>
#include <vector>

#include "model/check.h"
#include "model/error.h"
#include "model/lowering/lower.h"
#include "model/validate.h"

namespace steptwin::deadlocks {

Trial try_out(const Schedule& schedule, const Scenario& scenario, Effort& effort) {
  Trial trial;
  if (effort.is_over()) return trial;
  trial.ending = Ending::refused;
  try {
    const std::vector<Finding> findings = check_schedule(schedule);
    if (!findings.empty()) {
      trial.why = finding_text(findings.front());
      return trial;
    }
    trial.program = lower(schedule, scenario);
    validate(trial.program);
    if (!effort.spend(trial.program.kernels.size())) {
      trial.ending = Ending::not_tried;
      return trial;
    }
    auto outcome = sim::simulate(trial.program, {.host_records = false});
    if (auto* deadlock = std::get_if<sim::Deadlock>(&outcome)) {
      trial.deadlock = std::move(*deadlock);
      trial.ending = Ending::hangs;
    } else {
      trial.ending = Ending::runs;
    }
  } catch (const Error& error) {
    trial.why = error.wrong();
  }
  return trial;
}

}  // namespace steptwin::deadlocks
