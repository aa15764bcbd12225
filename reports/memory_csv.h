#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

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

// The file back into records, for a trace of `ranks` ranks. Throws Error, with file, line and
// column, if something is wrong; also if ranks, or times of a rank, do not ascend.
std::vector<MemoryRecord> read_memory_csv(const std::string& file, std::size_t ranks);

}  // namespace steptwin::reports
