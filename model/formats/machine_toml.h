#pragma once

#include <string>
#include <string_view>

#include "model/machine.h"

namespace steptwin {

// The machine file, which `steptwin calibrate` writes and [machine] file names: TOML with all of
// Machine, each fit with its number of samples and its residual. Throws Error at file:line:column
// for what is missing, unknown or out of range.
Machine read_machine(std::string_view text, const std::string& file);

std::string machine_text(const Machine& machine);

}  // namespace steptwin
