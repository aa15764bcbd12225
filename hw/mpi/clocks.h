#pragma once

#include <mpi.h>

#include "model/units.h"

namespace steptwin::hw {

// What to add to this process's clock to get that of process 0, and how far off that can be.
struct ClockOffset {
  TimeNs offset_ns = 0;
  TimeNs bound_ns = 0;
};

// All processes of the communicator call it. Process 0 exchanges messages with each other one: of
// t0 (asked), t1 (answered there) and t2 (answer received), the tightest exchange tells
//
//   offset = (t0 + t2) / 2 - t1,   off by at most (t2 - t0) / 2
//
// whatever the way there and back took (Cristian 1989).
ClockOffset measure_clock_offset(MPI_Comm comm);

}  // namespace steptwin::hw
