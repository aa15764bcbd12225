#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/schedule.h"

namespace steptwin {

// The two kinds of PyTorch schedule (torch_csv.h).
enum class TorchLevel : std::uint8_t { compute_only, compute_comms };

// A schedule of which every step has a cell, and what that took, a sentence each, with how many.
struct TorchFit {
  Schedule schedule;
  std::vector<std::string> losses;
};

// What the level cannot express is left out or written in another way:
//
//                              compute_only       compute_comms
//   bubbles                    kept               left out
//   transfers                  left out           kept
//   FSDP steps                 left out           kept
//   batches                    left out           their transfers, one after the other
//   boundary_p2p               left out           behind its overlap, in its order
//   DATA, SWAP steps           left out           left out
//   OVERLAP_B_F                as OVERLAP_F_B, which PyTorch's runtime expects: forward first
//
// Several copies of the model, which the format has no word for, keep the numbers of their stages.
//
// What makes no sense stays as it is, and is among the losses where it is not read back as the
// same: a rank without steps, a blank line, and a step of a micro-batch that no forward runs, which
// are read leniently only; weight gradients without any input gradient, which are taken for the old
// dialect.
TorchFit fit_to_torch(const Schedule& schedule, TorchLevel level);

}  // namespace steptwin
