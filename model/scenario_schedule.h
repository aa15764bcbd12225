#pragma once

#include "model/scenario.h"
#include "model/schedule.h"
#include "model/schedules/schedules.h"

namespace steptwin {

// The request a scenario makes of its schedule: shape, options, and the costs of its stages for
// the schedules that look at them. One hop is the longest transfer between the ranks of two stages
// in a row, wherever the stage map puts them. Throws Error for a map that the schedule forbids.

ScheduleRequest schedule_request(const Scenario& scenario);

// How transfers are issued: pipeline.p2p, where "auto" is batches for schedules that overlap (b_f)
// and plain single transfers for the others.
P2pMode transport_of(const Scenario& scenario);

// The transfers of the schedule, single ones, issued in that way: in batches, or at the boundary of
// overlaps. Throws Error where boundary transfers would be matched with the wrong ones.
Schedule with_transport(const Schedule& schedule, const Scenario& scenario);

// The scenario's schedule as it is run: built, or read from `pipeline.schedule_file` and complete
// (model/check.h), its receives placed as `pipeline.recv_placement` says, then the passes: split
// backwards, transport. A file without transfers gets them as a built order does
// (model/passes/add_p2p.h). Throws Error where the scenario names the schedule, at the place in the
// file, or for a transport that the schedule makes wrong.
Schedule make_schedule(const Scenario& scenario);

}  // namespace steptwin
