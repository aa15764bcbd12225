#pragma once

#include "model/schedule.h"

namespace steptwin {

// Takes groups of transfers apart: a batch becomes its transfers, boundary transfers follow their
// overlap, both in their order. What coalesce_p2p has grouped comes apart as it was.
Schedule ungroup_p2p(const Schedule& schedule);

}  // namespace steptwin
