#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compare/ladder.h"
#include "reports/json_figures.h"

namespace steptwin::cli {

// A line a rung, what it says in words below; no line is longer than `width`, of which 40 columns
// are the least.
std::string ladder_text(const std::vector<compare::Rung>& rungs, std::size_t width, bool color);

// An array as a value: [{"rung", "step_time_us", "change_us", "error", "why_not"}, ...], with null
// for what is not there.
void write_ladder(reports::json::Writer& writer, const std::vector<compare::Rung>& rungs);

}  // namespace steptwin::cli
