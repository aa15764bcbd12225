#pragma once

#include "hw/device.h"
#include "model/program.h"

namespace steptwin::hw::cuda {

// A device sees when a communication kernel of its own became ready and when it ended, not when the
// other ranks came to it. That shows when the times of all are known: transfers and calls match by
// position, and begin with the last to be ready.
//
// Reads of all of Stamps::communications ready_ns and end_ns and writes start_ns; of the parts of
// p2p kernels both times. A part ends with the end that is over first, since then it is over; of a
// kernel's parts the last ends with the kernel. The clocks of two devices are tied to a few
// microseconds: what would begin after its end begins with it.
void find_starts(const Program& program, Stamps& stamps);

}  // namespace steptwin::hw::cuda
