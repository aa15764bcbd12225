#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin::hw {

// Programs of which every part is known, for measuring what lies between kernels.

// Two ranks that compute in turn for `compute_ns`, each when the other's result has come:
//
//   rank 0  compute ─ send ─┐          ┌─ recv ─ compute ...
//   rank 1                  └─ recv ─ compute ─ send
Program transfer_chain(int hops, TimeNs compute_ns, Bytes bytes);

// Two ranks that compute, exchange `bytes` each in an all-to-all, compute ...
Program collective_chain(int calls, TimeNs compute_ns, Bytes bytes);

// From the end of the last compute kernel that a communication needs to the start of the next that
// needs it, in seconds: of every hop or call.
std::vector<double> handovers(const Trace& trace);

// Runs it so many times on this machine's CPU. Throws MachineError if it does not come to its end.
std::vector<Trace> traces_of(const Program& program, int rounds);

}  // namespace steptwin::hw
