#pragma once

#include <cstddef>
#include <string>

#include "compare/replay.h"

namespace steptwin::cli {

// How well the replay explains the run, what its hop stands for, and which slow operations cost
// time; no line is longer than `width`, of which 40 columns are the least.
std::string replay_text(const compare::Replay& replay, std::size_t width, bool color);

// {"folder", "ranks", "micro_batches", "warmup", "fitted_hop_us", "measured_hop_us",
//  "measured_gap_us", "median_error": {"dependencies", "fitted", "explained"},
//  "iterations": [{"iteration", "measured_us", "dependencies_us", "fitted_us", "explained_us",
//                  "slow_cost_us"}, ...],
//  "slow": [{"iteration", "rank", "micro", "direction", "duration_us", "usual_us", "cost_us",
//            "absorbed_us", "cost_ratio"}, ...]}
// cost_ratio is of the step as it would be without.
std::string replay_json(const compare::Replay& replay);

}  // namespace steptwin::cli
