#pragma once

#include <string_view>

#include "hw/executor.h"
#include "model/program.h"

namespace steptwin::hw {

// All processes call it with what they are about to run, and `how`, in words. Throws MachineError
// where another is about to run something else, and where one does not come within kMpiPatience:
// what follows would wait for it for ever.
void require_agreement(const Program& program, const RunOptions& options, std::string_view how);

}  // namespace steptwin::hw
