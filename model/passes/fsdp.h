#pragma once

#include <cstdint>

#include "model/schedule.h"

namespace steptwin {

// Fully sharded parameters: gathers a stage's before its compute, frees them, and reduces its
// gradients.
//
//   FSDP_UNSHARD(s)      before the first compute of a time in which s is resident
//   FSDP_RESHARD(s)      directly after the last, before that compute's sends
//   FSDP_REDUCE_GRAD(s)  directly after the last BWD or BWD_WEIGHT of s
//
// Resident are, at each entry, the first `window` distinct stages that have compute there or later;
// more only where one overlap computes on more. The window looks ahead over stages, not steps: a
// rank with at most `window` stages gathers all of them at once and frees each after its last
// compute. The window of the runtimes we model is 3.
inline constexpr std::int32_t kFsdpWindow = 3;

Schedule add_fsdp_steps(const Schedule& schedule, std::int32_t window = kFsdpWindow);

}  // namespace steptwin
