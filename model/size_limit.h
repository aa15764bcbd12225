#pragma once

#include <cstdint>

#include "model/scenario.h"

namespace steptwin {

// How much memory a scenario takes from schedule to trace, estimated before anything is built:
//
//   steps     N * M * (F, B, W and up to four transfers) slots
//   kernels   one per transfer, one per compute step and layer part, with its commands, stream
//             entries, times and trace record
double estimated_bytes(const Scenario& scenario);

// The kernels among it, rather too many than too few.
double estimated_kernels(const Scenario& scenario);

// Throws Error if the estimate exceeds what can be used here, rather than let it be killed half
// way.
void refuse_if_too_large(const Scenario& scenario);

}  // namespace steptwin
