#pragma once

#include <cstddef>
#include <string>

#include "deadlocks/step_places.h"
#include "deadlocks/way_out.h"
#include "reports/json_figures.h"
#include "sim/simulate.h"

namespace steptwin::cli {

// A deadlock and what was tried against it.
struct ExplainedDeadlock {
  sim::Deadlock deadlock;
  deadlocks::WayOut way_out;
  deadlocks::Place place;
};

// Looks for the place, and for a way out.
ExplainedDeadlock explained(const Schedule& schedule, const Scenario& scenario,
                            const Program& program, sim::Deadlock&& deadlock,
                            const deadlocks::MakeSchedule& make);

// For a person: the cycle as a sentence, the way out of it, then everything that hangs, in lines of
// at most `width` columns.
std::string deadlock_text(const ExplainedDeadlock& found, std::size_t width);

// The same for a program: {"deadlock": {"at_us", "cycle_text", "cycle", "blocked", "way_out":
// {"text", "exchange": null or {"rank", "slots", "steps"}, "exchanges_tried", "settings",
// "settings_tried", "cut_short"}}}.
std::string deadlock_json(const ExplainedDeadlock& found);

// {"rank", "slots", "steps"}
void write_exchange(reports::json::Writer& writer, const deadlocks::Exchange& exchange);

// The inner object of it, as a value.
void write_deadlock(reports::json::Writer& writer, const ExplainedDeadlock& found);

}  // namespace steptwin::cli
