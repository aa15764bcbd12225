#pragma once

#include "model/program.h"
#include "model/step.h"

namespace steptwin {

inline constexpr std::int32_t kComputeStream = 0;

inline bool is_forward(StepType type) {
  return type == StepType::fwd || type == StepType::fwd_send || type == StepType::fwd_recv;
}

inline Direction direction_of(StepType type) {
  if (is_forward(type)) return Direction::forward;
  if (type == StepType::bwd_input) return Direction::backward_input;
  if (type == StepType::bwd_weight) return Direction::backward_weight;
  return Direction::backward;
}

// What every kernel of a step has in common; on the compute stream unless it is moved.
inline Kernel kernel_of(const Step& step) {
  Kernel kernel;
  kernel.stream = kComputeStream;
  kernel.step = step.type;
  kernel.direction = direction_of(step.type);
  kernel.stage = step.stage;
  kernel.micro = step.micro;
  return kernel;
}

}  // namespace steptwin
