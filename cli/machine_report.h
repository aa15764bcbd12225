#pragma once

#include <string>

#include "model/machine.h"

namespace steptwin::cli {

// A measured machine for people, and for programs.
std::string machine_report(const Machine& machine);
std::string machine_json(const Machine& machine);

}  // namespace steptwin::cli
