#pragma once

#include "model/schedule.h"
#include "model/schedules/schedules.h"

namespace steptwin {

// Looped breadth-first schedule (Lamy-Poirier 2022, in PyTorch's order), stages in a loop: a rank
// runs all M forwards of its first stage, then of its second, ...; then the backwards from its last
// stage to its first, the micro-batches of each from last to first. R = 2, V = 2, M = 2, as
// stage F or B micro-batch:
//
//   rank 0  0F0 0F1 2F0 2F1  .   .  2B1 2B0 0B1 0B0
//   rank 1   .  1F0 1F1 3F0 3F1 3B1 3B0 1B1 1B0
//
// All M*V chunks of a rank are in flight at once. The compute order only: no bubbles, no transfers.
Schedule looped_bfs_order(const ScheduleRequest& request);

}  // namespace steptwin
