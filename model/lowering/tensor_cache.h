#pragma once

#include <cstdint>
#include <vector>

#include "model/schedule.h"
#include "model/units.h"

namespace steptwin {

// What a rank knows about a tensor that enters or leaves one of its stages: the activation into or
// out of (forward, stage, micro), the gradient into or out of (backward, stage, micro).
struct TensorState {
  std::int32_t received = -1;     // event of the receive that brings it in; -1: none is posted
  std::int32_t pending = -1;      // event of the collective it comes out of, until it is consumed
  std::int32_t producer = -1;     // the compute kernel it comes out of, if it is one
  std::int32_t last_kernel = -1;  // the kernel it comes out of
  Bytes received_bytes = 0;       // that the receive takes until the tensor is consumed
};

class TensorCache {
 public:
  TensorCache(const Schedule& schedule, std::int32_t rank)
      : micro_batches_(schedule.micro_batches),
        chunk_of_stage_(static_cast<std::size_t>(schedule.stages.stages()), -1) {
    std::int32_t chunks = 0;
    for (const std::int32_t stage : schedule.stages.stages_of(rank)) {
      chunk_of_stage_[static_cast<std::size_t>(stage)] = chunks++;
    }
    states_.resize(2 * static_cast<std::size_t>(chunks) * static_cast<std::size_t>(micro_batches_));
    chunks_ = chunks;
  }

  bool holds(std::int32_t stage) const {
    return stage >= 0 && static_cast<std::size_t>(stage) < chunk_of_stage_.size() &&
           chunk_of_stage_[static_cast<std::size_t>(stage)] >= 0;
  }

  TensorState& at(bool forward, std::int32_t stage, std::int32_t micro) {
    const std::int64_t chunk = chunk_of_stage_[static_cast<std::size_t>(stage)];
    const std::int64_t row = (forward ? 0 : chunks_) + chunk;
    return states_[static_cast<std::size_t>(row * micro_batches_ + micro)];
  }

 private:
  std::int64_t micro_batches_;
  std::int64_t chunks_ = 0;
  std::vector<std::int32_t> chunk_of_stage_;
  std::vector<TensorState> states_;
};

}  // namespace steptwin
