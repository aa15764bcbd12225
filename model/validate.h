#pragma once

#include "model/program.h"

namespace steptwin {

// Throws Error if the Program breaks a rule that both runtimes rely on: indices in range; every
// event recorded exactly once and every kernel launched exactly once; a communicator's members
// ascending and distinct, used by a kernel only on a member's rank and on one stream of it; a
// part's peer another member of its communicator; only main forks and joins, each thread once,
// one forked thread alive at a time; durations and byte counts not negative; losses below the whole
// rate, and with contention a node and a host for every rank.
//
// That matching sends, receives and collectives agree in size is checked where they meet, by the
// runtime, since threads may decide their order.
void validate(const Program& program);

}  // namespace steptwin
