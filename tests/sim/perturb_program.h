#pragma once

#include <vector>

#include "model/program.h"
#include "tests/sim/random_draw.h"

namespace steptwin {

// Moves a few commands within their threads and drops a few notifies, departs and waits, so that
// the Program stays valid but may deadlock. Launches on a communicator whose sizes vary
// (uniform[communicator] false) keep their order.
void perturb(Program& program, const std::vector<bool>& uniform, Draw& draw);

// Changes the size, time or kind of one communication kernel, if there is one.
void mismatch_one(Program& program, Draw& draw);

}  // namespace steptwin
