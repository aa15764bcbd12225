#pragma once

#include <string>

#include "model/program.h"

namespace steptwin {

// A Program in a few lines, for the report of a failed test: one line a communicator and a thread.
//
//   host launch 2 event 1 rendezvous 0 wake 3 fork 0 one_launch_lock
//   c0 {0,1}
//   rank 0 streams compute|comm events 1
//     main: k0=compute@0(5); record e0@0; wait e0@1; k1=p2p@1 c0[>1 3ns 8B, <1 3ns 8B]; fork t1
//
// Parts: > sends to, < receives from. "x2" after a kernel's stream: it stands for two launches.
std::string program_text(const Program& program);

}  // namespace steptwin
