#include "model/schedules/dual_pipe.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/schedules/at_least_one.h"
#include "model/step.h"

namespace steptwin {
namespace {

// The micro-batches that a rank sees of one stream.
struct Stream {
  std::int32_t stage = 0;
  std::int32_t first_micro = 0;
  std::int32_t forwards = 0;
  std::int32_t backwards = 0;
};

class RankOrder {
 public:
  // `to_turn`: ranks between this one and the turn, of `ranks` in all from entry to turn.
  RankOrder(std::int32_t to_turn, std::int32_t ranks, std::int32_t micro_batches, Stream near,
            Stream far)
      : to_turn_(to_turn), ranks_(ranks), micro_batches_(micro_batches), near_(near), far_(far) {}

  StepList steps() {
    const std::int32_t from_entry = ranks_ - to_turn_;
    for (std::int32_t k = 0; k < 2 * to_turn_; ++k) forward(near_);
    for (std::int32_t k = 0; k < from_entry; ++k) {
      forward(near_);
      forward(far_);
    }
    for (std::int32_t k = 0; k < to_turn_; ++k) {
      input(far_);
      weight();
      forward(far_);
    }
    steady(micro_batches_ - ranks_ - to_turn_);
    for (std::int32_t k = 0; k < to_turn_; ++k) {
      backward(far_);
      overlap(far_, near_);
    }
    for (std::int32_t k = 0; k < 2 * from_entry; ++k) {
      Stream& stream = k % 2 == 0 ? far_ : near_;
      k < from_entry ? backward(stream) : input(stream);
    }
    for (std::int32_t k = 0; k < to_turn_; ++k) {
      weight();
      input(near_);
    }
    for (std::int32_t k = 0; k < from_entry; ++k) weight();
    return std::move(steps_);
  }

 private:
  void steady(std::int32_t pairs) {
    for (std::int32_t k = 0; k < pairs; ++k) {
      if (k == 0 && to_turn_ == 0) {
        forward(near_);
        backward(far_);
      } else {
        overlap(near_, far_);
      }
      overlap(far_, near_);
    }
  }

  static Step next_forward(Stream& stream) {
    return make_step(StepType::fwd, stream.stage, stream.first_micro + stream.forwards++);
  }
  static Step next_backward(Stream& stream, StepType type) {
    return make_step(type, stream.stage, stream.first_micro + stream.backwards++);
  }

  void forward(Stream& stream) { steps_.emplace_back(next_forward(stream)); }
  void backward(Stream& stream) { steps_.emplace_back(next_backward(stream, StepType::bwd)); }
  void overlap(Stream& forward_of, Stream& backward_of) {
    Step forward = next_forward(forward_of);
    Step backward = next_backward(backward_of, StepType::bwd);
    steps_.emplace_back(
        make_overlap(StepType::overlap_f_b, std::move(forward), std::move(backward)));
  }
  void input(Stream& stream) {
    const Step step = next_backward(stream, StepType::bwd_input);
    steps_.emplace_back(step);
    weights_.push_back(make_step(StepType::bwd_weight, step.stage, step.micro));
  }
  void weight() { steps_.emplace_back(weights_[next_weight_++]); }

  std::int32_t to_turn_;
  std::int32_t ranks_;
  std::int32_t micro_batches_;
  Stream near_;
  Stream far_;
  std::vector<Step> weights_;
  std::size_t next_weight_ = 0;
  StepList steps_;
};

void check_enough(std::string_view schedule, std::int32_t ranks, std::int32_t micro_batches) {
  if (micro_batches >= 2 * std::int64_t{ranks}) return;
  throw Error(fmt::format("{} with {} ranks and {} micro-batches", schedule, ranks, micro_batches),
              fmt::format("at least {} micro-batches, two for each rank", 2 * std::int64_t{ranks}));
}

}  // namespace

Schedule dual_pipe(std::int32_t ranks, std::int32_t micro_batches) {
  check_at_least_one("dualpipe", ranks, 2, micro_batches);
  if (ranks % 2 != 0) {
    throw Error(fmt::format("dualpipe with {} ranks", ranks),
                "an even number: each rank has a mirror image, which holds the same stages");
  }
  check_enough("dualpipe", ranks, micro_batches);
  if (micro_batches % 2 != 0) {
    throw Error(fmt::format("dualpipe with {} micro-batches", micro_batches),
                "an even number: half of them in each direction");
  }
  const std::int32_t to_middle = ranks / 2;
  const std::int32_t half = micro_batches / 2;
  Schedule schedule{"dualpipe", mirrored_map(ranks), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const Stream first{rank, 0, 0, 0};
    const Stream second{2 * ranks - 1 - rank, half, 0, 0};
    const bool enters_first = rank < to_middle;
    const std::int32_t to_turn = enters_first ? to_middle - 1 - rank : rank - to_middle;
    schedule.ranks.push_back(RankOrder(to_turn, to_middle, half, enters_first ? first : second,
                                       enters_first ? second : first)
                                 .steps());
  }
  return schedule;
}

Schedule dual_pipe_v(std::int32_t ranks, std::int32_t micro_batches) {
  check_at_least_one("dualpipe_v", ranks, 2, micro_batches);
  check_enough("dualpipe_v", ranks, micro_batches);
  Schedule schedule{"dualpipe_v", v_map(ranks, 2), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const Stream down{rank, 0, 0, 0};
    const Stream up{2 * ranks - 1 - rank, 0, 0, 0};
    schedule.ranks.push_back(RankOrder(ranks - 1 - rank, ranks, micro_batches, down, up).steps());
  }
  return schedule;
}

}  // namespace steptwin
