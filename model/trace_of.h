#pragma once

#include <span>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin {

struct TimeSpan {
  TimeNs begin_ns = -1;
  TimeNs end_ns = -1;
};

// What a run of a Program, simulated or real, knows when it is over.
struct RunTimes {
  std::span<const KernelTimes> kernels;
  std::span<const TimeSpan>
      parts;  // as Program::p2p_parts; only those of kernels with several count
  // Of every command, by (rank, thread, position); may be empty, and then there are no records.
  std::span<const TimeSpan> commands;
};

// The Trace that all reports read.
Trace trace_of(const Program& program, const RunTimes& times);

}  // namespace steptwin
