#pragma once

#include "model/schedule.h"

namespace steptwin {

// Places the sends and receives of a compute order by scanning its columns: entry t of every
// rank's list is column t. After a column's steps are written, each of them that feeds another
// rank appends its send to its own list and the matching receive to the end of the consumer's
// list, even ranks in ascending order, then odd ranks:
//
//   FWD(s)               FWD_SEND(s) here, FWD_RECV(s+1) on the rank of s+1
//   BWD(s), BWD_INPUT(s) BWD_SEND(s) here, BWD_RECV(s-1) on the rank of s-1
//   BWD_WEIGHT(s)        nothing; nor between neighbours on one rank, nor at the model's ends
//
// An overlap is two columns wide, one for each sub-step, and is written in the first; so the
// receive that its second sub-step triggers comes one column later at the receiver.
//
// Why the result cannot deadlock: a send and its receive are written in the same action, so the
// lists are projections of one global sequence of transfers, and every rank can follow it, even
// with one in-order queue per rank. That needs each producer to be in an earlier column than its
// consumer, or the receive comes after the step that consumes it; align_columns arranges columns
// so. Even before odd makes the two ends of a steady-state exchange meet receive-first and
// send-first. Ranks are counted as they are numbered here: rename ranks after this pass.
//
// Bubbles are kept: they end the runs that are coalesced later.
// Throws Error if the schedule is not a compute order (model/passes/compute_only.h).
Schedule add_p2p(const Schedule& columns);

}  // namespace steptwin
