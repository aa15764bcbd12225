#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/formats/misplaced.h"
#include "model/formats/step_listing.h"
#include "model/schedule.h"
#include "model/step.h"

namespace steptwin {

// The compact text form of step lists.
//
//   rank0: FWD(s0,m0) FWD_SEND(s0,m0) - FSDP_UNSHARD(s0)
//   rank1: OVERLAP_B_F[BWD(s1,m0)|FWD(s1,m3)]{BWD_RECV(s1,m1)} BATCH_SEND_RECV[BWD_SEND(s1,m0)|...]
//
//   file  = { line }
//   line  = nothing | "#" comment | "rank" number ":" { slot }       any order, 0..R-1 each once
//   slot  = "-" | step                                               "-" is a bubble; blanks apart
//   step  = type "(" "s" number [ "," "m" number ] ")"               m unless the type is FSDP_*
//         | "BATCH_SEND_RECV" "[" step { "|" step } "]"
//         | overlap "[" step "|" step "]" [ "{" step { "|" step } "}" ]    {}: boundary_p2p
//
// Blanks around brackets and commas are read, not written. LF or CR LF, a byte order mark is
// passed over.

std::string step_text(const Step& step);
std::string steps_text(const StepList& list);  // slots with one blank between
std::string steps_text(const Schedule& schedule);

// The lists by rank. Throws Error with the place of the first mistake.
std::vector<StepList> read_step_lists(std::string_view text, const std::string& file);

// The lists, who holds which stage, and the number of micro-batches, as inferred_schedule
// (step_listing.h) finds them. Its name is the file's.
Schedule read_steps(std::string_view text, const std::string& file,
                    Misplaced misplaced = Misplaced::refused);
PlacedSchedule read_placed_steps(std::string_view text, const std::string& file,
                                 Misplaced misplaced = Misplaced::refused);

}  // namespace steptwin
