#include <algorithm>

#include "model/schedules/at_least_one.h"
#include "model/schedules/zero_bubble.h"
#include "model/step.h"

namespace steptwin {
namespace {

// Rank r holds stage r, on the way down (D), and stage 2R-1-r, on the way up (U). Its list, each
// step taking the next micro-batch of its kind and chunk:
//
//   2(R-r)-1 times   FD
//   r times          FU FD
//   R-r times        FU IU WU
//   while FU are left [FD] ID WD FU IU WU     FD as long as there are any
//   r times          ID IU
//   R-r times        ID WD
//   the WU left, then the WD left
class RankOrder {
 public:
  RankOrder(std::int32_t rank, std::int32_t ranks, std::int32_t micro_batches)
      : rank_(rank),
        ranks_(ranks),
        kept_(micro_batches),
        made_(std::max(micro_batches, 2 * ranks - 1)),
        down_{rank, 0, 0, 0},
        up_{2 * ranks - 1 - rank, 0, 0, 0} {}

  StepList steps() {
    for (std::int32_t k = 0; k < 2 * (ranks_ - rank_) - 1; ++k) forward(down_);
    for (std::int32_t k = 0; k < rank_; ++k) {
      forward(up_);
      forward(down_);
    }
    for (std::int32_t k = 0; k < ranks_ - rank_; ++k) {
      forward(up_);
      backward(up_);
    }
    steady();
    for (std::int32_t k = 0; k < rank_; ++k) {
      input(down_);
      input(up_);
    }
    for (std::int32_t k = 0; k < ranks_ - rank_; ++k) {
      input(down_);
      weight(down_);
    }
    while (up_.weights < up_.inputs) weight(up_);
    while (down_.weights < down_.inputs) weight(down_);
    return steps_;
  }

 private:
  struct Chunk {
    std::int32_t stage;
    std::int32_t forwards;
    std::int32_t inputs;
    std::int32_t weights;
  };

  void steady() {
    while (up_.forwards < down_.forwards || down_.forwards < made_) {
      if (down_.forwards < made_) forward(down_);
      backward(down_);
      forward(up_);
      backward(up_);
    }
  }

  void forward(Chunk& chunk) { append(StepType::fwd, chunk.stage, chunk.forwards++); }
  void input(Chunk& chunk) { append(StepType::bwd_input, chunk.stage, chunk.inputs++); }
  void weight(Chunk& chunk) { append(StepType::bwd_weight, chunk.stage, chunk.weights++); }
  void backward(Chunk& chunk) {
    input(chunk);
    weight(chunk);
  }

  void append(StepType type, std::int32_t stage, std::int32_t micro) {
    if (micro < kept_) steps_.emplace_back(make_step(type, stage, micro));
  }

  std::int32_t rank_;
  std::int32_t ranks_;
  std::int32_t kept_;  // micro-batches there are
  std::int32_t made_;  // micro-batches the order is made for
  Chunk down_;
  Chunk up_;
  StepList steps_;
};

}  // namespace

Schedule zbv(std::int32_t ranks, std::int32_t micro_batches) {
  check_at_least_one("zbv", ranks, 2, micro_batches);
  Schedule schedule{"zbv", v_map(ranks, 2), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    schedule.ranks.push_back(RankOrder(rank, ranks, micro_batches).steps());
  }
  return schedule;
}

}  // namespace steptwin
