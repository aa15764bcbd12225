#pragma once

#include "model/schedule.h"

namespace steptwin {

// Moves each FWD_RECV and BWD_RECV as late as it may be: directly before the compute step or
// overlap that consumes it. A DATA_RECV goes with the FWD_RECV it stands before. Several receives
// of one consumer keep their order. Builders place receives early, when the producer is done;
// late means that a pending receive does not hold up its queue.
//
// Messages between an ordered pair of ranks match by position, so receives from one sender never
// overtake each other: one whose successor from the same sender is consumed first goes before that
// consumer, earlier than its own. Among the schedules built here only two ranks of several chunks
// need this (interleaved_1f1b, R = 2, V > 1, when rounds differ in length or with less_memory):
// there activations and gradients travel the same way.
//
// What can go wrong: moving a receive over a send gives up the common order that the lists of
// add_p2p are projections of. Where the transfers of a rank share one in-order queue, or block the
// host, two ranks can then both be sending and wait for each other's receive: most interleaved
// schedules moved so deadlock with a single queue. With a queue for each ordered pair and a host
// that does not block they cannot: a message then waits for earlier ones of its pair only, and
// those were produced earlier in the same list. Nothing is refused here; the simulator shows it.
//
// Before transfers are put in batches: a receive in a batch or in a boundary stays where it is, and
// so does one whose consumer is missing or already past.
Schedule place_recvs_late(const Schedule& schedule);

}  // namespace steptwin
