#pragma once

#include <cstdint>
#include <utility>

#include "model/step.h"

namespace steptwin {

// Writes the list of a rank that holds one stage: stage k is on rank k. Receives and sends that
// would leave the pipeline at its ends are left out, and DATA_LOADs unless they are wanted.
class OneStageList {
 public:
  OneStageList(std::int32_t stage, std::int32_t stages, bool data_loads)
      : stage_(stage), stages_(stages), data_loads_(data_loads) {}

  void load(std::int32_t micro) {
    if (data_loads_) add(StepType::data_load, micro);
  }
  void forward(std::int32_t micro) { add(StepType::fwd, micro); }
  void backward(std::int32_t micro) { add(StepType::bwd, micro); }
  void receive_forward(std::int32_t micro) {
    if (stage_ > 0) add(StepType::fwd_recv, micro);
  }
  void send_forward(std::int32_t micro) {
    if (stage_ + 1 < stages_) add(StepType::fwd_send, micro);
  }
  void receive_backward(std::int32_t micro) {
    if (stage_ + 1 < stages_) add(StepType::bwd_recv, micro);
  }
  void send_backward(std::int32_t micro) {
    if (stage_ > 0) add(StepType::bwd_send, micro);
  }

  StepList take() { return std::move(list_); }

 private:
  void add(StepType type, std::int32_t micro) {
    list_.emplace_back(make_step(type, stage_, micro));
  }

  std::int32_t stage_;
  std::int32_t stages_;
  bool data_loads_;
  StepList list_;
};

}  // namespace steptwin
