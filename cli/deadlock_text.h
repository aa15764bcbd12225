#pragma once

#include <string>

#include "sim/simulate.h"

namespace steptwin::cli {

// The deadlock for a person: the cycle as a sentence, then everything that hangs.
std::string deadlock_text(const sim::Deadlock& deadlock);

// The same for a program: {"deadlock": {"at_us", "cycle", "cycle_text", "blocked"}}.
std::string deadlock_json(const sim::Deadlock& deadlock);

}  // namespace steptwin::cli
