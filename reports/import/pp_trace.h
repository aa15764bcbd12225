#pragma once

#include <optional>
#include <vector>

#include "model/trace.h"
#include "reports/import/pp_dump.h"

namespace steptwin::reports {

// What an iteration says of how its ranks' clocks stand to each other. A value is not there before
// it is computed: with a hop of some length h >= 0,
//
//   forward   end of F(m) on rank r     + h <= start of F(m) on rank r+1
//   backward  end of B(m) on rank r + 1 + h <= start of B(m) on rank r
//
// so each pair of neighbours bounds their difference from both sides. The middle is taken, as if a
// hop took as long either way. The room between the bounds is the shortest round trip: an upper
// bound of two hops, and close to it where some operation waited for nothing but its input.
struct PpClocks {
  std::vector<TimeNs> offset_ns;      // by rank: what to add for the clock of rank 0
  std::vector<TimeNs> round_trip_ns;  // by pair of neighbours; below 0 if their times contradict
};
PpClocks clocks_of(const PpIteration& iteration);

// One hop as the clocks bound it: half the median of the round trips of all iterations and pairs.
// Nothing with a single rank, or where that is below 0.
std::optional<TimeNs> measured_hop_ns(const std::vector<PpIteration>& iterations);

// What passes between two operations of a rank of which the second waits for no other rank: a
// forward of the first rank after whatever is before it, and a backward of the last rank right
// after its own forward. The median over all iterations; nothing where there are none.
std::optional<TimeNs> measured_gap_ns(const std::vector<PpIteration>& iterations);

// The iteration as a trace: one stream `compute` a rank, a kernel for each forward and backward, by
// rank and start, on the clock of rank 0 as clocks_of sees it.
Trace trace_of(const PpIteration& iteration);

}  // namespace steptwin::reports
