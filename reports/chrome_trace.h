#pragma once

#include <iosfwd>

#include "model/trace.h"
#include "reports/progress_callback.h"

namespace steptwin::reports {

// trace.json: Chrome Trace Event JSON, opens in Perfetto. One process per rank, one track per
// stream and per host thread, in their order.
//
//   slices    kernels, "F3.1" or "attention F3.1" (micro-batch.chunk, the chunk being the how
//             manieth stage of its rank it is); a communication kernel that waits for its peer is
//             two, "wait: recv F3.1" then "recv F3.1"; host records that take time
//   arrows    from each send to its receive
//   counters  activations in flight, per rank
//
// In the file the names of tracks come first, then slices by rank, track and time, then counters,
// then arrows by time; so a reader that streams knows each slice when an arrow refers to it.
//
// Slices of one track never overlap: what would is moved to a further track of the stream, named
// "comm (2)". Times are microseconds with three decimals, exactly the trace's nanoseconds.
void write_chrome_trace(const Trace& trace, std::ostream& out,
                        const ProgressCallback& progress = {});

}  // namespace steptwin::reports
