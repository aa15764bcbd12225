#pragma once

#include "model/schedule.h"

namespace steptwin {

// With a single loader only stage 0 reads data; the raw inputs travel down the pipeline beside the
// activations. What does not concern a stage is a no-op at run time, but the steps are in every
// list, and a DATA step between two P2P steps ends a run for the rewriting passes.
//
// Both passes come after the P2P steps are placed and before any of them is put in a batch.

// DATA_LOAD(s,m) directly before each FWD(s,m), or before the overlap that holds it. For schedules
// whose P2P steps a pass placed; builders that place their own also place their loads.
Schedule add_data_loads(const Schedule& schedule);

// DATA_SEND directly before each FWD_SEND and DATA_RECV directly before each FWD_RECV.
Schedule add_data_transfers(const Schedule& schedule);

}  // namespace steptwin
