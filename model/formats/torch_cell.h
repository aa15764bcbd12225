#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/formats/step_listing.h"
#include "model/formats/text_cursor.h"
#include "model/step.h"

namespace steptwin {

// The cells of the CSV files in which PyTorch keeps pipeline schedules.
//
//   cell     = nothing | action | "(" action ";" action ")" "OVERLAP_F_B"     nothing: a bubble
//   action   = stage name [ micro-batch ]                                     0F3, 2SEND_B0,
//   1UNSHARD
//
//   F FWD      I BWD_INPUT    W BWD_WEIGHT    B BWD
//   SEND_F FWD_SEND   RECV_F FWD_RECV   SEND_B BWD_SEND   RECV_B BWD_RECV
//   UNSHARD FSDP_UNSHARD   RESHARD FSDP_RESHARD   REDUCE_GRAD FSDP_REDUCE_GRAD    no micro-batch
//
// The stage of a transfer is the one that acts, as in our steps: 0SEND_F3 is received by 1RECV_F3.
// An overlap is a forward and then a backward, B or I. Blanks around an action are passed over.
//
// In the old dialect (before November 2024) B is BWD_INPUT, BW is BWD, and there is no I.
enum class TorchDialect : std::uint8_t { current, old };

// The dialect of a whole file: old if it has a BW, or W and no I, since nothing but an I precedes a
// W today.
TorchDialect torch_dialect(std::string_view text);

// Lenient is what PyTorch's own parser lets pass and what can still be expressed: anything behind
// an action, a micro-batch number where none belongs, an empty action in an overlap, a backward as
// its first half. An action without the micro-batch it needs is refused all the same.
struct TorchRules {
  bool lenient = false;
  TorchDialect dialect = TorchDialect::current;
};

// How often leniency was needed.
struct TorchForgiven {
  std::int64_t trailing = 0;        // 0F0junk
  std::int64_t empty_action = 0;    // (0F1;;1B0)OVERLAP_F_B
  std::int64_t surplus_micro = 0;   // 1UNSHARD0
  std::int64_t backward_first = 0;  // (1B0;0F1)OVERLAP_F_B, read as OVERLAP_B_F
  std::int64_t blank_lines = 0;
  std::int64_t unknown_micro = 0;  // of a micro-batch that no forward runs
};

// Takes one cell, up to the comma or the line end behind it, and notes its actions as leaves of the
// last rank of the listing. Throws Error at the first mistake.
Slot take_torch_cell(TextCursor& cursor, StepListing& listing, const TorchRules& rules,
                     TorchForgiven& forgiven);

// Whether an action stands for such a step, a composite aside.
bool is_torch_action(StepType type);

// Appends the cell of a step of the current dialect. Asserts that there is one: an action, or an
// OVERLAP_F_B.
void append_torch_cell(std::string& text, const Step& step);

}  // namespace steptwin
