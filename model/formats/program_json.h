#pragma once

#include <string>

#include "model/program.h"

namespace steptwin {

// The Program as JSON, format "steptwin-program" version 1. Beyond what a runtime needs, commands
// of a rendezvous name their hook as a last element (["rendezvous", "comm", "A1"]) and a record
// that covers no more than up to a kernel names it (["record", 7, "compute", 12]). `eager_bytes`
// and `contention` are there only where they are not off; losses are billionths of a rate.
std::string program_json(const Program& program);

}  // namespace steptwin
