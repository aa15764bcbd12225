#pragma once

#include <cstdint>

#include "model/schedule.h"

namespace steptwin {

// The zero-bubble schedules whose order is fixed. The backward is split: I (BWD_INPUT) computes
// the gradient that the stage before waits for, W (BWD_WEIGHT) the one nobody waits for, so that
// W can stand where a rank would otherwise idle.
//
// zb_h1, zb_h2 and interleaved_zb share one shape. Rank r runs
//   warm forwards;  then F I, F I, ... while forwards are left;  then I, I, ...
// and from the backward numbered `lag` on (counting from 0) each I is followed by the oldest W
// still open; the last `lag` W come at the end.
//
//                   warm               lag   peak live chunks, from forward to W, on every rank
//   zb_h1           R-1-r              r     R
//   interleaved_zb  (V-1) G + R-1-r    r     (V-1) G + R
//   zb_h2           2 (R-1-r)          2r    2R-1
//
// R ranks, V chunks per rank, M micro-batches; neither warm nor the peak exceeds M*V. With
// rounds = max(1, M / R), G = M / rounds micro-batches run through one chunk before the next chunk
// has its turn.
//
// Four ranks, six micro-batches, zb_h1 (columns are not time):
//   rank 0   F0 F1 F2 F3 I0 W0 F4 I1 W1 F5 I2 W2 I3 W3 I4 W4 I5 W5
//   rank 1   F0 F1 F2 I0 F3 I1 W0 F4 I2 W1 F5 I3 W2 I4 W3 I5 W4 W5
//   rank 2   F0 F1 I0 F2 I1 F3 I2 W0 F4 I3 W1 F5 I4 W2 I5 W3 W4 W5
//   rank 3   F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 F5 I5 W2 W3 W4 W5
//
// zbv folds the two chunks of each rank into a V, so that the last stage's backward starts on the
// rank that ran the first forward. Its order is made for max(M, 2R-1) micro-batches and then
// stripped of those from M on; at most 2R chunks are live, the memory of R micro-batches.
//
// With F = I = W, no latency and enough micro-batches (2R-1), zb_h2 and zbv leave no bubble between
// a rank's first step and its last.
//
// Sources: Qi et al., "Zero Bubble Pipeline Parallelism" (2024), for H1, H2 and their memory; the
// orders of interleaved_zb (and so zb_h1) and zbv are those of PyTorch's
// ScheduleInterleavedZeroBubble and ScheduleZBVZeroBubble.
//
// All return compute steps only: no P2P, no bubbles. They throw Error if R, V or M is below 1, and
// interleaved_zb with V > 1 if M is not a multiple of its rounds.

// Same as interleaved_zb with V = 1.
Schedule zb_h1(std::int32_t ranks, std::int32_t micro_batches);

// Twice the warm-up of zb_h1, and nearly twice the memory.
Schedule zb_h2(std::int32_t ranks, std::int32_t micro_batches);

// Loop map, V chunks per rank.
Schedule interleaved_zb(std::int32_t ranks, std::int32_t chunks_per_rank,
                        std::int32_t micro_batches);

// V map, two chunks per rank.
Schedule zbv(std::int32_t ranks, std::int32_t micro_batches);

}  // namespace steptwin
