#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/device.h"
#include "model/program.h"

namespace steptwin::hw::cuda {

// A device sees when a communication kernel of its own became ready and when it ended, not when the
// other ranks came to it. That shows when the times of all are known: transfers and calls match by
// position, and begin with the last to be ready.
//
// `order`: by rank, its communication kernels in the order in which they went to their streams.
// Reads ready_ns and end_ns of all of them and writes start_ns; of the parts of p2p kernels both
// times. A part ends with the end that is over first, since then it is over; of a kernel's parts
// the last ends with the kernel. The clocks of two devices are tied to a few microseconds: what
// would begin after its end begins with it.
void find_starts(const Program& program, std::span<const std::vector<std::int64_t>> order,
                 Stamps& stamps);

}  // namespace steptwin::hw::cuda
