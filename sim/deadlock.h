#pragma once

#include "sim/simulate.h"
#include "sim/state.h"

namespace steptwin::sim {

// Explains an evaluation that has come to a stop unfinished: what hangs where, what each waits
// for, and the shortest cycle among them.
//
// The wait-for graph has a vertex for every blocked thread and stream. A thread waits for the
// stream (or the thread) its event hangs on, for the thread it joins, or for its partner at the
// rendezvous. A stream waits for the stream its head's event hangs on, or for where the other
// ends of its communication kernel are: a stream they stand behind on, or the thread that has yet
// to launch them.
Deadlock explain_deadlock(const State& state);

}  // namespace steptwin::sim
