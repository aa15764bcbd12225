#pragma once

#include <cstddef>
#include <string>

#include "cli/json_writer.h"
#include "sim/simulate.h"

namespace steptwin::cli {

// The deadlock for a person: the cycle as a sentence, then everything that hangs, in lines of at
// most `width` columns.
std::string deadlock_text(const sim::Deadlock& deadlock, std::size_t width);

// The same for a program: {"deadlock": {"at_us", "cycle_text", "cycle", "blocked"}}.
std::string deadlock_json(const sim::Deadlock& deadlock);

// The inner object of it, as a value.
void write_deadlock(JsonWriter& writer, const sim::Deadlock& deadlock);

}  // namespace steptwin::cli
