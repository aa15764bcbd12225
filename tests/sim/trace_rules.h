#pragma once

#include <string>
#include <vector>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin {

// Which rules the times of a finished run break, one sentence each; empty if none. Knows nothing of
// how the times were made, so it judges any simulator, and with durations left aside it would judge
// a real run.
//
//   - every kernel has enqueue <= ready <= start <= end;
//   - a stream runs its kernels in the order they were appended, one at a time. Two threads that
//     append at the same instant may have done so in either order;
//   - compute and copy start when ready and take their duration; a collective starts with its last
//     member, takes the lowest member's duration and ends alike everywhere; the parts of p2p
//     kernels match by position, each transfer begins with its later end;
//   - a thread's launches are enqueued no earlier than its commands before them allow, and
//   - no kernel is ready before the events it waits for are complete.
//
// The last two use lower bounds: an event is complete no earlier than its record can have executed
// and what it certainly covers has ended. Of another thread it certainly covers what was appended
// earlier than the record can have executed.
std::vector<std::string> broken_rules(const Program& program,
                                      const std::vector<KernelTimes>& times);

}  // namespace steptwin
