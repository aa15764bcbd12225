#pragma once

#include <cstdint>

#include "model/schedule.h"

namespace steptwin {

// DualPipe and DualPipeV of DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024) and the programs
// published with it. Micro-batches enter the pipeline at both of its ends, so that in the middle of
// the step every rank has a forward to overlap with a backward of the other stream: OVERLAP_F_B.
//
//   dual_pipe     Two copies of the model, of R stages each: stage s of the first copy is on rank
//   s,
//                 stage s of the second on rank R-1-s and numbered R + s. The first half of the
//                 micro-batches runs through the first copy, the second half through the second.
//                 R even, M even, M >= 2R.
//   dual_pipe_v   One copy on the V map, 2R stages: what would come back from the other end is what
//                 the rank itself has sent there. M >= 2R.
//
// A rank sees two streams, the near one, which enters the pipeline closer to it, and the far one.
// With d ranks between it and the turn (where the streams meet, dual_pipe: the middle, dual_pipe_v:
// the last rank), n micro-batches in each stream, and P ranks from entry to turn:
//
//   2d times          F near
//   P-d times         F near, F far
//   d times           I far, W far, F far
//   n-P-d times       F near | B far, F far | B near          the first pair of d = 0 not
//   overlapped d times           B far, F far | B near P-d times         B far, B near       the
//   second half of these 2(P-d) backwards as I d times           W, I near           the oldest W
//   P-d times         W
//
// P = R/2, n = M/2 for dual_pipe, P = R, n = M for dual_pipe_v. A rank holds 2P + 1 micro-batches
// of a stage at most.
//
// What the step takes over the compute of a rank, if there is no latency, F&B is the time of an
// overlap and B = I + W:
//
//   (P - 1)(F&B + B - 3W)      the published formula; exact for F&B = F + B and F = I >= W
//
// Compute steps only. Throws Error naming the rule if R or M is not allowed.
Schedule dual_pipe(std::int32_t ranks, std::int32_t micro_batches);
Schedule dual_pipe_v(std::int32_t ranks, std::int32_t micro_batches);

}  // namespace steptwin
