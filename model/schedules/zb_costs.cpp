#include "model/schedules/zb_costs.h"

#include <cstddef>
#include <fmt/format.h>

#include "model/error.h"

namespace steptwin {
namespace {

void check_duration(std::string_view schedule, std::string_view what, TimeNs duration) {
  if (duration >= 0) return;
  throw Error(fmt::format("{} with a {} time of {} ns", schedule, what, duration),
              "a time that is not negative");
}

void check_durations(std::string_view schedule, std::string_view what,
                     const std::vector<TimeNs>& durations, std::size_t stages) {
  if (durations.size() != stages) {
    throw Error(
        fmt::format("{} with {} {} times for {} stages", schedule, durations.size(), what, stages),
        "one for each stage");
  }
  for (const TimeNs duration : durations) check_duration(schedule, what, duration);
}

}  // namespace

void check_costs(std::string_view schedule, const ZbHeuristicCosts& costs) {
  const std::size_t stages = costs.forward_ns.size();
  check_durations(schedule, "forward", costs.forward_ns, stages);
  check_durations(schedule, "backward-input", costs.backward_input_ns, stages);
  check_durations(schedule, "backward-weight", costs.backward_weight_ns, stages);
  check_duration(schedule, "P2P", costs.p2p_ns);
}

}  // namespace steptwin
