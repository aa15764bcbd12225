#pragma once

#include "cli/options.h"
#include "model/scenario.h"

namespace steptwin::cli {

// Reads the scenario with its --set keys and refuses one that would not fit into memory.
Scenario load_scenario(const Options& options);

}  // namespace steptwin::cli
