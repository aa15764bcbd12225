#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "model/schedules/zb_heuristic.h"

namespace steptwin {

// Sizes and costs for tests of schedules on random stages.
class RandomCosts {
 public:
  RandomCosts(std::uint64_t seed, std::int32_t longest_hop)
      : generator_(seed), longest_hop_(longest_hop) {}

  std::int32_t number(std::int32_t low, std::int32_t high) {
    return std::uniform_int_distribution<std::int32_t>(low, high)(generator_);
  }
  // Often equal for all stages, sometimes zero: ties are where orders go wrong.
  std::vector<TimeNs> durations(std::int32_t stages) {
    std::vector<TimeNs> drawn(static_cast<std::size_t>(stages), number(0, 20));
    if (number(0, 1) == 0) return drawn;
    for (TimeNs& duration : drawn) duration = number(0, 3) == 0 ? number(0, 100) : number(5, 15);
    return drawn;
  }
  ZbHeuristicCosts costs(std::int32_t stages) {
    return {durations(stages), durations(stages), durations(stages), number(0, longest_hop_)};
  }

 private:
  std::mt19937_64 generator_;
  std::int32_t longest_hop_;
};

}  // namespace steptwin
