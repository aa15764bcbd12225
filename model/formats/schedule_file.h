#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/error.h"
#include "model/formats/misplaced.h"
#include "model/formats/step_listing.h"
#include "model/scenario.h"

namespace steptwin {

inline constexpr std::size_t kMostScheduleFileBytes = std::size_t{512} << 20U;

// The schedule that pipeline.schedule_file names, as the file has it.
struct ScheduleFile {
  std::string path;
  std::string text;
  PlacedSchedule placed;

  // Where a slot of a rank's list stands; where the list begins if there is no such slot.
  SourcePosition position_of(std::int32_t rank, std::int64_t slot) const;
};

// Reads the file, in any format that recognise.h knows. Its ranks, stages and micro-batches must be
// as many as the scenario's, and its stages on the ranks that pipeline.stage_map says; "auto" takes
// what the file says. The file must leave nothing open, as PyTorch's old dialect does. Whether the
// schedule is complete is another question (model/check.h). Throws Error at the place in the file
// that is wrong or does not agree, or where the scenario names the file if it cannot be read.
// `misplaced` as in model/formats/misplaced.h.
ScheduleFile read_schedule_file(const Scenario& scenario, Misplaced misplaced = Misplaced::refused);

}  // namespace steptwin
