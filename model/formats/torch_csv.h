#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/formats/misplaced.h"
#include "model/formats/step_listing.h"
#include "model/schedule.h"

namespace steptwin {

// PyTorch's pipeline schedules as CSV: a row for each rank, a cell for each step (torch_cell.h), no
// header, rows of any length. Nothing in the file says how many micro-batches there are, what holds
// which stage, or what anything costs.
//
//   compute_only    0F0,0F1,,0B0       computing alone; an empty cell is a slot in which the rank
//                                      does nothing
//   compute_comms   0F0,0SEND_F0,...   also transfers and FSDP steps; no cell is empty
//
// Which of the two a file is, its cells say. LF or CR LF; a cell may stand in double quotes, as
// Python's writer puts the empty cell of a row that has no other; a byte order mark is passed over.
struct TorchReadOptions {
  // Take what PyTorch takes (torch_cell.h), a blank line as a rank without steps, and backwards and
  // transfers of micro-batches that no forward runs. Strictly these are errors; the last is none
  // either where misplaced steps are kept, for a check to find.
  bool lenient = false;
};

// The lists, who holds which stage, and the number of micro-batches, as inferred_schedule
// (step_listing.h) finds them. Its name is the file's. Throws Error with the place of the first
// mistake.
Schedule read_torch_csv(std::string_view text, const std::string& file,
                        Misplaced misplaced = Misplaced::refused,
                        const TorchReadOptions& options = {});
PlacedSchedule read_placed_torch_csv(std::string_view text, const std::string& file,
                                     Misplaced misplaced = Misplaced::refused,
                                     const TorchReadOptions& options = {});

// What the same reading took in another way than it stands there, a sentence each: the old dialect,
// and what was forgiven.
std::vector<std::string> torch_csv_notes(std::string_view text, const std::string& file,
                                         const TorchReadOptions& options = {});

// The file as PyTorch writes it, with CR LF. Asserts that every step has a cell: fit_to_torch
// (torch_fit.h) makes a schedule so.
std::string torch_csv(const Schedule& schedule);

}  // namespace steptwin
