#pragma once

#include <variant>

#include "model/program.h"
#include "model/trace.h"
#include "standstill/standstill.h"

namespace steptwin::sim {

using steptwin::BlockedItem;
using steptwin::Deadlock;

struct Options {
  bool host_records = true;
};

// Runs a valid Program (model/validate.h) by the timing rules of docs/semantics: exact,
// deterministic, integer time. Throws Error if two calls that match by position differ in kind or
// size, naming both.
std::variant<Trace, Deadlock> simulate(const Program& program, const Options& options = {});

}  // namespace steptwin::sim
