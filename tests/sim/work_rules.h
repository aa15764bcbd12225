#pragma once

#include <string>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin {

// Whether every kernel and transfer of a finished run was worked on for as long as it takes: "", or
// which was not. Rates are worked out from what the trace says goes on at each instant, by the
// rules of contention (sim/shared_rates.h), and integrated in floating point from each start to its
// end:
//
//   work done by the end >= duration, and one nanosecond before it was not done yet.
//
// Knows nothing of how the times came about. Without contention all rates are 1.
std::string lost_work(const Program& program, const Trace& trace);

}  // namespace steptwin
