#pragma once

#include "sim/simulate.h"
#include "sim/state.h"
#include "standstill/standstill.h"

namespace steptwin::sim {

// How far an evaluation had come that has stopped unfinished.
Standstill standstill_of(const State& state);

// Explains it: what hangs where, what each waits for, and the shortest cycle among them.
Deadlock explain_deadlock(const State& state);

}  // namespace steptwin::sim
