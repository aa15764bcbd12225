#pragma once

#include "model/scenario.h"
#include "model/schedule.h"
#include "tests/sim/random_draw.h"

namespace steptwin {

// Small random scenarios that lowering accepts: every schedule, stream preset and override, both
// orders and waits, overlaps with and without hooks, costs per stage and by layers, dense and
// mixed, with and without eager sends and contention, sharded parameters, offloads, data steps,
// peers as ranks of their own, noise. Durations are a few nanoseconds and often 0,
// so that ties abound.
Scenario random_scenario(Draw& draw);

// Its schedule; overlaps now and then with the forward named first, or with their backward divided.
// Throws Error if the schedule forbids the drawn shape.
Schedule random_schedule(const Scenario& scenario, Draw& draw);

}  // namespace steptwin
