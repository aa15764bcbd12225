#pragma once

#include <cstddef>
#include <vector>

#include "model/trace.h"
#include "reports/csv_rows.h"

namespace steptwin::reports {

// The columns of trace.csv that tell the parts of a kernel apart. With fewer than two parts `step`
// is a type alone, FWD_SEND, and `part_spans_ns` is empty. With more, in the order of the peers:
//
//   step           BATCH_SEND_RECV[FWD_SEND(s0,m1)|BWD_RECV(s0,m0)]
//   part_spans_ns  100-130;120-150
struct PartColumns {
  std::size_t step = 0;
  std::size_t spans = 0;
};

// Both columns of the row, into `kernel` and at the end of `parts`. The kernel's peers and times
// have been read. Throws Error, with its place, if a column is not of this form, does not have as
// many parts as there are peers, or lies outside the kernel's start and end.
void read_step_and_parts(const CsvRows& rows, const PartColumns& columns, TraceKernel& kernel,
                         std::vector<TracePart>& parts);

}  // namespace steptwin::reports
