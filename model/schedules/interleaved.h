#pragma once

#include "model/schedule.h"
#include "model/schedules/schedules.h"

namespace steptwin {

// Interleaved 1F1B (Megatron-LM, Narayanan et al. 2021), stages in a loop: rank k holds stages
// k, R+k, 2R+k, ... This is the compute order in columns, with the bubbles that make the column
// scan of add_p2p post each receive before its consumer; no transfers yet.
//
// Rounds. M micro-batches are run in max(1, M div R) rounds, as even as possible and at least R
// long if M >= R (the M mod R left over are spread over the rounds, the first ones longer). A round
// runs its micro-batches through chunk 0, then through chunk 1, ...; backwards run through the same
// rounds with the chunks from last to first. This gives the same sequence of M*V forwards and M*V
// backwards on every rank.
//
// Rank k, with d = R-1-k its distance to the last rank and g = 2d, or d with less_memory:
//   W = min((V-1) * size of the first round + g, M*V) forwards of warm-up
//   M*V - W times forward, backward; with overlap b_f one forward, then overlaps of a backward and
//     the next forward, then one backward
//   W backwards
// The peak of chunks in flight on rank k is W + 1 (W if nothing is left for the steady phase).
//
// Bubbles: k before the warm-up; max(0, g - M) + d after it; one before each backward of the drain.
// If M < R the ring is longer than a round: 2(R-M) after each round of the drain, and on the last
// rank after the steady phase's round, and R-M after each round of the warm-up (but the last one,
// save on the last rank) keep the wrap-around transfers behind their producers. less_memory halves
// the stagger of the warm-up: fewer chunks in flight, no slack for an overlap's forward, which is
// why the two cannot be combined.
Schedule interleaved_columns(const ScheduleRequest& request);

}  // namespace steptwin
