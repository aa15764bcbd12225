#pragma once

#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin {

// Keys that turn out to change nothing once the schedule is there. Each throws Error where the key
// was written, as the reader does for what it can tell by itself; a key that was not written in the
// text (Scenario::key_at) is left alone.

// Receives placed late, or backwards split, where that leaves the schedule as it is.
void refuse_idle_pass(const Scenario& scenario, const char* key, const Schedule& before,
                      const Schedule& after, const char* because);

// overlap.* where nothing overlaps, and what the transport's batches or boundaries are to bring
// where the streams take them apart again or there are none.
void refuse_idle_schedule_keys(const Scenario& scenario, const Schedule& schedule);

}  // namespace steptwin
