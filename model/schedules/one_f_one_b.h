#pragma once

#include "model/schedule.h"
#include "model/schedules/schedules.h"

namespace steptwin {

// 1F1B (PipeDream-flush, Narayanan et al. 2021), V = 1: rank k runs W = min(R - k, M) forwards,
// then a backward and a forward in turn, then the W backwards that are left. R = 3, M = 4:
//
//   rank 0  F0 F1 F2 .  .  B0 F3 B1 .  B2 .  B3
//   rank 1  .  F0 F1 .  B0 F2 B1 F3 B2 .  B3
//   rank 2  .  .  F0 B0 F1 B1 F2 B2 F3 B3
//
// W micro-batches are in flight on rank k, whatever M is.
//
// Where transfers stand. Warm-up: an even rank sends an output right after its forward, an odd rank
// after it has posted the next receive, so that neighbours meet one receiving and one sending. The
// output of the last warm-up forward, and of every forward after it, is sent together with the
// receive of the next gradient:
//
//   steady  BWD_RECV(b) FWD_SEND(f-1) BWD(b) DATA_LOAD(f) BWD_SEND(b) FWD_RECV(f) FWD(f)
//   drain   BWD_RECV(b) [the first time FWD_SEND(M-1)] BWD(b) BWD_SEND(b)
//
// On a rank so early that its whole warm-up is over before a gradient can come (R - k > M) the last
// output is sent at the end of the warm-up.
Schedule one_f_one_b_schedule(const ScheduleRequest& request);

}  // namespace steptwin
