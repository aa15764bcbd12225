#pragma once

#include <cstddef>
#include <string>

#include "deadlocks/transport_table.h"
#include "reports/json_figures.h"

namespace steptwin::cli {

// For a person: a row for each transport, a column for each discipline of queues, then why the
// deadlocks hang and what was tried against them, and why some combinations do not exist. The
// deadlock of the schedule's own setting is told elsewhere.
std::string transport_table_text(const deadlocks::TransportTable& table, std::size_t width);

// For a program, a list of {"transport", "queues", "own", "result", "why", "cycle_text", "way_out",
// "exchange"}, where result is "runs", "hangs", "n/a" or "not tried", why is of "n/a" and the three
// last ones are of "hangs"; null where they are not.
void write_transport_table(reports::json::Writer& writer, const deadlocks::TransportTable& table);

}  // namespace steptwin::cli
