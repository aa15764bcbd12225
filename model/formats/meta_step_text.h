#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/formats/misplaced.h"
#include "model/formats/step_listing.h"
#include "model/schedule.h"
#include "model/step.h"

namespace steptwin {

// The long text form of step lists: each step as the MetaStep class of hyper-parallel prints
// itself, one rank a line.
//
//   rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0), None]
//
// None as a slot is a bubble. As the class does, micro_index and stage_index are always written,
// as None where the type has none, and sub_steps=[...] only where there are any; beyond it,
// boundary_p2p=[...] where there is any, since the class prints nothing of it.
//
//   file  = { "rank" number ":" list }                     any order, 0..R-1 each once
//         | "{" number ":" list { "," number ":" list } "}"    the dictionary as Python prints it
//   list  = "[" [ slot { "," slot } ] "]"                  or the same in parentheses
//   slot  = "None" | step
//   step  = "MetaStep" "(" field { "," field } ")"
//   field = "type" "=" "MetaStepType." name
//         | ( "micro_index" | "stage_index" ) "=" ( number | "None" )
//         | ( "sub_steps" | "boundary_p2p" ) "=" ( list of steps | "None" )
//
// Fields come in any order, each at most once; a missing one is None, an empty list too. White
// space, line ends and "#" comments may stand between any two words; a comma may stand before a
// closing bracket.

std::string meta_step_text(const Step& step);
std::string meta_step_text(const StepList& list);  // with its brackets
std::string meta_step_text(const Schedule& schedule);

// The lists by rank. Throws Error with the place of the first mistake.
std::vector<StepList> read_meta_step_lists(std::string_view text, const std::string& file);

// The lists, who holds which stage, and the number of micro-batches, as inferred_schedule
// (step_listing.h) finds them. Its name is the file's.
Schedule read_meta_steps(std::string_view text, const std::string& file,
                         Misplaced misplaced = Misplaced::refused);
PlacedSchedule read_placed_meta_steps(std::string_view text, const std::string& file,
                                      Misplaced misplaced = Misplaced::refused);

}  // namespace steptwin
