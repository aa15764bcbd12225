#pragma once

#include <iosfwd>

#include "model/trace.h"
#include "reports/progress_callback.h"

namespace steptwin::reports {

// memory.csv, one line for each change of a rank's device memory, by rank and time:
//
//   rank,at_ns,class,bytes
//
// class as MemoryClass is named; bytes are less than 0 where memory is given back. What a rank
// holds all the time is taken at 0.
void write_memory_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress = {});

}  // namespace steptwin::reports
