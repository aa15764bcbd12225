#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "model/step.h"

namespace steptwin {

// Short words for tests that write step lists out by hand.
inline Step fwd(std::int32_t stage, std::int32_t micro) {
  return make_step(StepType::fwd, stage, micro);
}
inline Step bwd(std::int32_t stage, std::int32_t micro) {
  return make_step(StepType::bwd, stage, micro);
}
inline Step overlap_b_f(Step backward, Step forward) {
  return make_overlap(StepType::overlap_b_f, std::move(backward), std::move(forward));
}
inline const Slot kBubble = std::nullopt;

}  // namespace steptwin
