#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/formats/misplaced.h"
#include "model/formats/text_cursor.h"
#include "model/schedule.h"
#include "model/step.h"

namespace steptwin {

// What both text forms of step lists are read into before it is checked as a whole: the lists, and
// where in the text each rank and each step without sub-steps begins.
struct PlacedStep {
  Step step;
  std::size_t at = 0;
};

struct PlacedLeaf {
  StepType type = StepType::fwd;
  std::int32_t stage = 0;
  std::int32_t micro = Step::kNone;
  std::size_t at = 0;
};

struct RankListing {
  std::int32_t rank = 0;
  std::size_t at = 0;
  StepList slots;
  std::vector<std::size_t> slot_at;
  std::vector<PlacedLeaf> leaves;  // sub-steps and boundary steps too, in the order of the text
};

struct StepListing {
  std::vector<RankListing> ranks;  // in the order of the text
  std::size_t slots = 0;           // of all ranks
};

// A slot costs memory out of proportion to its two bytes of text, so their number is bounded.
inline constexpr std::size_t kMostSlots = 8'388'608;

// Appends to the last rank. Throws Error at `at` beyond kMostSlots.
void add_slot(const TextCursor& cursor, StepListing& listing, Slot slot, std::size_t at);

// Takes the name of a step type. Throws Error naming the nearest one if it is misspelt.
StepType take_step_type(TextCursor& cursor,
                        const std::string& expected = "a step type, such as FWD or BWD_SEND");

// What may stand in a composite, in its brackets or among its boundary transfers, to follow
// "expected ".
std::string allowed_in(StepType composite, bool in_boundary);

// A batch or an overlap: the types that have sub-steps.
bool is_composite(StepType type);

// The batch or overlap that begins at `at`. Throws Error at the sub-step that does not fit, or at
// `at` if their number does not.
Step composite_step(const TextCursor& cursor, StepType type, std::size_t at,
                    const std::vector<PlacedStep>& sub_steps,
                    const std::vector<PlacedStep>& boundary_p2p);

// The lists by rank. Throws Error unless the ranks are 0..R-1, each once, in any order.
std::vector<StepList> lists_by_rank(const TextCursor& cursor, StepListing listing);

// A schedule, and where in its text everything begins. Offsets as in TextCursor.
struct PlacedSchedule {
  Schedule schedule;
  std::vector<std::size_t> rank_at;               // by rank
  std::vector<std::vector<std::size_t>> slot_at;  // by rank and slot
};

// The lists with what they imply. The rank that computes a stage holds it; every other step must
// be on the rank that holds its stage (the ends of a transfer are named after their own stage).
// There are as many micro-batches as the largest FWD says. There are two copies of the model if
// every rank holds two stages, the lower half of the stages has FWDs of the first half of the
// micro-batches only, and the upper half of the second half only. Throws Error, besides the above,
// if two ranks compute a stage, if one of the stages 0..N-1 is missing, or if there is no FWD.
//
// With Misplaced::kept it throws only if nothing can be inferred: one of the stages 0..N-1 is not
// named at all, or no step computes. Without a FWD the other computing steps count.
PlacedSchedule inferred_schedule(const TextCursor& cursor, StepListing listing,
                                 Misplaced misplaced);

}  // namespace steptwin
