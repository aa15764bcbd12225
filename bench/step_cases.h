#pragma once

#include <string>
#include <vector>

#include "model/lowering/lower.h"
#include "model/scenario.h"
#include "model/scenario_schedule.h"
#include "sim/state.h"

namespace steptwin {

// What is timed: 1F1B with plain transfers and host times on, in three sizes, and a MoE pipeline
// whose overlaps have hooks.
struct BenchCase {
  std::string name;
  Scenario scenario;
};
std::vector<BenchCase> bench_cases();

// Memory of the flat arrays, by their sizes.
double program_bytes(const Program& program);
double engine_bytes(const sim::State& state);

}  // namespace steptwin
