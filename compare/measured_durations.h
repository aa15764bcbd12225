#pragma once

#include <string>
#include <vector>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin::compare {

// What was measured of a Program's kernels, in the form in which the Program has durations: without
// waiting for others.
//
//   compute, copy   end - start
//   collective      end - start of the member for which it was shortest: the others may have begun
//                   to count before all had arrived
//   p2p part        end - start, of the end at which it was shorter
//
// Calls of a collective, and the two ends of a transfer, are paired by what they are labelled with
// (communicator, step, stage, micro-batch, layer), which is how a schedule pairs them, not by when
// they happened to come.
struct MeasuredDurations {
  std::vector<TimeNs> kernel_ns;    // by kernel; 0 for p2p
  std::vector<TimeNs> transfer_ns;  // by part
};

// The trace must be one of the Program.
MeasuredDurations measured_durations(const Program& program, const Trace& measured);

// Why the trace is none of the Program: the number of kernels, or the first one whose rank, kind,
// part, step, stage, micro-batch, layer or number of transfers differs. "" if it is.
std::string first_difference(const Program& program, const Trace& trace);

}  // namespace steptwin::compare
