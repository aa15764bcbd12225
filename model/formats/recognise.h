#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/formats/misplaced.h"
#include "model/formats/step_listing.h"
#include "model/formats/torch_csv.h"
#include "model/schedule.h"

namespace steptwin {

// The formats of a file with step lists, told apart by the first thing in it that is neither blank
// nor a comment line:
//
//   steps      rank0: then anything but a bracket    rank0: FWD(s0,m0) -
//   metastep   rank0: then a bracket, or {0:         rank0: [MetaStep(...), None]
//   torch_csv  a number and a letter, (, " or ,      0F0,0F1,,0B0
enum class ScheduleFormat : std::uint8_t { steps, metastep, torch_csv };

// Throws Error naming the formats it looked for if it is none of them.
ScheduleFormat recognise_format(std::string_view text, const std::string& file);

// Reads a schedule in whichever format it is. The options are about PyTorch's alone. A new format
// has a row in the enumeration, its mark in recognise_format and its reader here.
PlacedSchedule read_placed_schedule(std::string_view text, const std::string& file,
                                    Misplaced misplaced = Misplaced::refused,
                                    const TorchReadOptions& options = {});
Schedule read_schedule(std::string_view text, const std::string& file,
                       Misplaced misplaced = Misplaced::refused,
                       const TorchReadOptions& options = {});

// What that reading took in another way than it stands in the file, a sentence each; the other
// formats leave nothing open.
std::vector<std::string> reading_notes(std::string_view text, const std::string& file,
                                       const TorchReadOptions& options = {});

}  // namespace steptwin
