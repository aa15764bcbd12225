#pragma once

#include <span>
#include <vector>

#include "model/program.h"
#include "model/trace.h"

namespace steptwin {

// What happens to the memory of every rank, in time: the Program says beside which kernels it is
// taken and given back, a run says when those became ready, started and ended. Sorted by rank, then
// time; what is given back at an instant comes before what is taken.
std::vector<MemoryRecord> memory_records(const Program& program,
                                         std::span<const KernelTimes> times);

}  // namespace steptwin
