#pragma once

#include <string>
#include <vector>

#include "hw/calibrate/disturbance.h"
#include "hw/executor.h"
#include "model/program.h"
#include "reports/metrics.h"

namespace steptwin::cli {

// What has been measured of one setting so far.
struct MeasuredSetting {
  std::vector<TimeNs> steps;    // traced
  std::vector<TimeNs> drained;  // of the same, as without tracing
  std::vector<reports::Metrics> metrics;
  std::vector<TimeNs> bare_steps;  // not traced
};

// Runs that others on the machine have disturbed (hw/calibrate/disturbance.h).
struct DisturbedRuns {
  int runs = 0;      // in all
  int repeated = 0;  // disturbed, and made anew
  int kept = 0;      // disturbed, as were those made in their place; the least so was kept
};

// Runs the Program on this machine's CPU: so many steps with tracing and as many without. How fast
// it is at products is measured before each run of real kernels and after it: on a machine that
// shares its cores with others that changes from second to second, and says whether the run is to
// be trusted, whatever came out. Throws hw::MachineError, with `name`, if it hangs.
void measure_setting(const Program& program, const std::string& name, bool timed, int steps,
                     MeasuredSetting& setting, DisturbedRuns& disturbed);

}  // namespace steptwin::cli
