#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/device.h"
#include "model/program.h"
#include "standstill/standstill.h"

namespace steptwin::hw {

// What a process of a job has measured or where its rank has stopped, as numbers in a row, to be
// gathered (hw/team.h). The first of a pair of functions makes a row of what is the rank's own, the
// second puts it in its places among everybody's.

// Times are moved by `offset_ns` to the clock of the process that gathers; of zero_ns the earliest
// counts.
std::vector<std::int64_t> row_of(const Program& program, std::int32_t rank,
                                 const IterationTimes& times, TimeNs offset_ns);
void put_row(std::span<const std::int64_t> row, const Program& program, std::int32_t rank,
             IterationTimes& times);

std::vector<std::int64_t> row_of(const StoppedRank& rank);
StoppedRank stopped_rank(std::span<const std::int64_t> row, const RankProgram& program);

}  // namespace steptwin::hw
