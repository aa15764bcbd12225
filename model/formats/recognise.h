#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/formats/misplaced.h"
#include "model/schedule.h"

namespace steptwin {

// The formats of a file with step lists, told apart by the first thing in it that is neither blank
// nor a comment line:
//
//   steps      rank0: then anything but a bracket    rank0: FWD(s0,m0) -
//   metastep   rank0: then a bracket, or {0:         rank0: [MetaStep(...), None]
enum class ScheduleFormat : std::uint8_t { steps, metastep };

// Throws Error naming the formats it looked for if it is none of them.
ScheduleFormat recognise_format(std::string_view text, const std::string& file);

// Reads a schedule in whichever format it is.
Schedule read_schedule(std::string_view text, const std::string& file,
                       Misplaced misplaced = Misplaced::refused);

}  // namespace steptwin
