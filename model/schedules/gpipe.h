#pragma once

#include "model/schedule.h"
#include "model/schedules/schedules.h"

namespace steptwin {

// GPipe (Huang et al. 2019), V = 1: every rank runs all forwards, then all backwards, both in the
// order of the micro-batches. R = 3, M = 3:
//
//   rank 0  F0 F1 F2 .  .  .  .  B0 B1 B2
//   rank 1  .  F0 F1 F2 .  .  B0 B1 B2
//   rank 2  .  .  F0 F1 F2 B0 B1 B2
//
// All M micro-batches are in flight at once. Each step's receive is directly before it and its
// send directly after it; a micro-batch's DATA_LOAD comes before its receive.
Schedule gpipe_schedule(const ScheduleRequest& request);

}  // namespace steptwin
