#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/deadlock_text.h"
#include "deadlocks/transport_table.h"
#include "model/check.h"

namespace steptwin::cli {

// What a check found: first without running the schedule, then, if that was nothing, by running it.
struct CheckResult {
  std::vector<Finding> findings;  // without running it
  std::string why_not_simulated;  // "" if it was
  std::optional<ExplainedDeadlock> deadlock;
  bool transfers_unchecked = false;                // several ranks, and no transfers between them
  std::optional<deadlocks::TransportTable> table;  // if there are transfers
};

bool has_findings(const CheckResult& result);

// For a person; quietly only what was found.
std::string check_text(const CheckResult& result, bool quiet, std::size_t width);

// For a program:
//
//   {"findings": [{"rank", "slot", "step", "text"}, ...],    null where a finding has no such place
//    "left_out": true if there are more findings than are listed,
//    "simulated": whether it was run, "why_not_simulated": null or a text,
//    "deadlock": null or the object of deadlock_text.h,
//    "transports": null or the list of transport_table_text.h}
//
// A deadlock is a finding too, at the step where it begins, so that a sound schedule is one with an
// empty list.
std::string check_json(const CheckResult& result);

}  // namespace steptwin::cli
