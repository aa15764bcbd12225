#pragma once

#include <string>

#include "model/machine.h"

namespace steptwin::cli {

// Measures this machine; says what it is at on standard error, where that is a terminal.
Machine calibrated_machine(double effort, bool quiet);

// From a machine file, or by measuring if the path is empty.
Machine machine_from(const std::string& path, double effort, bool quiet);

// What measures a machine measures all of it, in one process: throws Error where mpirun has started
// several.
void require_one_process(const std::string& command);

}  // namespace steptwin::cli
