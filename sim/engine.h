#pragma once

#include "sim/state.h"

namespace steptwin::sim {

// Evaluates a Program to its end, or to where nothing can happen any more.
//
// Times are not stepped through. Every time in the model is a maximum of earlier times plus a
// duration, so each rank is run as far as the times it depends on are known: its host threads by
// the order of their stamps, its streams entry by entry. What meets another rank (a part, a
// collective) waits in a channel until the other side gets there, whatever the order in which the
// ranks are visited. The only decisions that need the clocks of several ranks are those between
// two threads of a rank of which one waits for a kernel whose end is unknown; they are taken at
// the smallest such stamp of all ranks, before which nothing unknown can happen. Cost: a constant
// amount of work per command and per kernel.
//
// With contention the end of a kernel depends on what runs beside it. Then there is one clock, that
// of SharedRates: whenever all that can be known is known, it goes on to where the next work begins
// or ends, unless a held action comes first; and what ends there lets others go on.
State evaluate(const Program& program, bool host_records);

// Whether every thread has ended and every stream is empty.
bool finished(const State& state);

}  // namespace steptwin::sim
