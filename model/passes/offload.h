#pragma once

#include <cstdint>

#include "model/schedule.h"

namespace steptwin {

// Moves the activations of a micro-batch to the host's memory between its forward and its backward.
// Compute steps and overlaps are counted along a rank's list; a (stage, micro-batch) whose backward
// (BWD or BWD_INPUT) comes fewer than `min_gap` of them after its forward stays on the device.
//
//   SWAP_LAUNCH_OFFLOAD  directly after the forward
//   SWAP_WAIT_OFFLOAD    after the next compute and its own send; where that send does not follow
//                        at once, or the compute is an overlap, after the transfers that follow it
//   SWAP_LAUNCH_LOAD     before the compute that precedes the backward; with FSDP steps in the
//                        list: before the stage's last FSDP_UNSHARD between the two, if there is
//                        one, and else directly before the backward
//   SWAP_WAIT_LOAD       directly before the backward
//
// Comes after the transfers are in batches, and puts nothing into a batch.
inline constexpr std::int32_t kOffloadMinGap = 4;

Schedule add_offload_steps(const Schedule& schedule, std::int32_t min_gap = kOffloadMinGap);

}  // namespace steptwin
