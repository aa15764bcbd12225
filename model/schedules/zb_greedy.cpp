#include "model/schedules/zb_greedy.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace steptwin {
namespace {

constexpr std::int64_t kForwardHalves = 2;

struct Stage {
  TimeNs forward = 0;
  TimeNs backward_input = 0;
  TimeNs backward_weight = 0;

  std::vector<ZbWork> order;
  std::vector<TimeNs> forward_ends;         // by micro-batch
  std::vector<TimeNs> backward_input_ends;  // by micro-batch
  std::int32_t weights_done = 0;
  std::int64_t held_halves = 0;
  TimeNs start = 0;   // of the first forward
  TimeNs clock = 0;   // end of the last step
  TimeNs bubble = 0;  // idle between start and clock

  std::int32_t forwards() const { return static_cast<std::int32_t>(forward_ends.size()); }
  std::int32_t backwards() const { return static_cast<std::int32_t>(backward_input_ends.size()); }
  std::int32_t open_weights() const { return backwards() - weights_done; }
};

class Greedy {
 public:
  Greedy(const ZbHeuristicCosts& costs, std::int32_t micro_batches, std::int64_t memory_halves,
         const ZbGreedyChoices& choices)
      : hop_(costs.p2p_ns),
        micro_batches_(micro_batches),
        memory_halves_(memory_halves),
        choices_(choices),
        stages_(costs.forward_ns.size()) {
    for (std::size_t index = 0; index < stages_.size(); ++index) {
      Stage& stage = stages_[index];
      stage.forward = costs.forward_ns[index];
      stage.backward_input = costs.backward_input_ns[index];
      stage.backward_weight = costs.backward_weight_ns[index];
      stage.order.reserve(static_cast<std::size_t>(micro_batches) * 3);
      stage.forward_ends.reserve(static_cast<std::size_t>(micro_batches));
      stage.backward_input_ends.reserve(static_cast<std::size_t>(micro_batches));
    }
  }

  ZbGreedyOrder run() {
    warm_up();
    for (std::int32_t micro = 1; micro < micro_batches_; ++micro) {
      sweep_forwards();
      sweep_backwards();
    }
    ZbGreedyOrder result;
    for (Stage& stage : stages_) {
      while (stage.open_weights() > 0) put_weight(stage);
      result.longest_span = std::max(result.longest_span, stage.clock - stage.start);
      result.stages.push_back(std::move(stage.order));
    }
    return result;
  }

 private:
  void warm_up() {
    for (std::size_t index = 0; index < stages_.size(); ++index) put_forward(index);
    const std::vector<std::int32_t> extra = extra_warm_forwards();
    for (std::size_t index = 0; index < stages_.size(); ++index) {
      for (std::int32_t k = 0; k < extra[index]; ++k) put_forward(index);
    }
    for (std::size_t index = stages_.size(); index-- > 0;) put_backward(index);
  }

  // How many forwards each stage adds between its first forward and its first backward.
  std::vector<std::int32_t> extra_warm_forwards() const {
    std::vector<std::int32_t> extra(stages_.size(), 0);
    TimeNs backward_end = stages_.back().clock + stages_.back().backward_input;
    for (std::size_t index = stages_.size() - 1; index-- > 0;) {
      const Stage& stage = stages_[index];
      const TimeNs arrival = backward_end + hop_;
      TimeNs clock = stage.clock;
      std::int64_t halves = 2 * kForwardHalves;
      while (extra[index] < micro_batches_ - 1 && halves <= memory_halves_ &&
             (choices_.bubble_before_first_backward ? clock + stage.forward <= arrival
                                                    : clock < arrival)) {
        clock += stage.forward;
        halves += kForwardHalves;
        ++extra[index];
      }
      backward_end = std::max(clock, arrival) + stage.backward_input;
    }
    // A stage cannot run ahead of the one before it, and needs one forward less to bridge its
    // shorter wait; all stages may have all forwards.
    for (std::size_t index = 1; index < stages_.size(); ++index) {
      const std::int32_t before = extra[index - 1];
      const bool has_all = before == micro_batches_ - 1;
      extra[index] = std::min(extra[index], has_all ? before : std::max(before - 1, 0));
    }
    return extra;
  }

  void sweep_forwards() {
    // From the last stage back: whoever waits makes the stages before it wait.
    std::size_t first = stages_.size();
    while (first > 0 && forward_is_due(first - 1)) --first;
    for (std::size_t index = first; index < stages_.size(); ++index) {
      prepare(index, forward_arrival(index), kForwardHalves);
      put_forward(index);
    }
  }

  bool forward_is_due(std::size_t index) const {
    const Stage& stage = stages_[index];
    if (stage.forwards() == micro_batches_) return false;
    if (!choices_.backward_first || index + 1 == stages_.size()) return true;
    const Stage& next = stages_[index + 1];
    if (stage.forwards() < next.forwards() + 2) return true;
    // The next stage turns a micro-batch round and sends its gradient here.
    const TimeNs arrival = next.clock + next.forward + next.backward_input + hop_;
    const std::int64_t excess = stage.held_halves + kForwardHalves - memory_halves_;
    const std::int64_t weights =
        std::clamp<std::int64_t>(excess, 0, static_cast<std::int64_t>(stage.open_weights()));
    if (stage.clock + stage.forward + weights * stage.backward_weight <= arrival) return true;
    return !affordable(stage, arrival - stage.clock);
  }

  void sweep_backwards() {
    for (std::size_t index = stages_.size(); index-- > 0;) {
      prepare(index, backward_arrival(index), 0);
      Stage& stage = stages_[index];
      // Nobody waits for the first stage's gradients: once it has no forward left to hurry for, it
      // frees the memory first.
      const bool forwards_over = stage.forwards() == micro_batches_;
      while (index == 0 && forwards_over && stage.open_weights() > 0) put_weight(stage);
      put_backward(index);
    }
  }

  // Runs the open weights that must, can or had better precede a step whose input arrives at
  // `arrival` and that takes `halves` of memory.
  void prepare(std::size_t index, TimeNs arrival, std::int64_t halves) {
    Stage& stage = stages_[index];
    while (stage.held_halves + halves > memory_halves_) put_weight(stage);
    while (stage.open_weights() > 0 && stage.clock + stage.backward_weight <= arrival) {
      put_weight(stage);
    }
    if (stage.open_weights() == 0 || stage.clock >= arrival) return;
    if (choices_.fill_every_gap || !affordable(stage, arrival - stage.clock)) put_weight(stage);
  }

  bool affordable(const Stage& stage, TimeNs gap) const {
    return gap <= largest_bubble_ - stage.bubble;
  }

  // 0 where the input comes from the stage itself or from outside.
  TimeNs forward_arrival(std::size_t index) const {
    if (index == 0) return 0;
    return stages_[index - 1].forward_ends[stages_[index].forward_ends.size()] + hop_;
  }
  TimeNs backward_arrival(std::size_t index) const {
    if (index + 1 == stages_.size()) return 0;
    const Stage& next = stages_[index + 1];
    return next.backward_input_ends[stages_[index].backward_input_ends.size()] + hop_;
  }

  void put_forward(std::size_t index) {
    assert(index == 0 || stages_[index].forwards() < stages_[index - 1].forwards());
    Stage& stage = stages_[index];
    const TimeNs arrival = forward_arrival(index);
    if (stage.order.empty()) {
      stage.start = stage.clock = arrival;
    } else {
      wait_until(stage, arrival);
    }
    stage.clock += stage.forward;
    stage.forward_ends.push_back(stage.clock);
    stage.held_halves += kForwardHalves;
    stage.order.push_back(ZbWork::forward);
  }

  void put_backward(std::size_t index) {
    Stage& stage = stages_[index];
    assert(stage.backwards() < stage.forwards());
    wait_until(stage, backward_arrival(index));
    stage.clock += stage.backward_input;
    stage.backward_input_ends.push_back(stage.clock);
    --stage.held_halves;
    stage.order.push_back(ZbWork::backward_input);
  }

  static void put_weight(Stage& stage) {
    assert(stage.open_weights() > 0);
    stage.clock += stage.backward_weight;
    ++stage.weights_done;
    --stage.held_halves;
    stage.order.push_back(ZbWork::backward_weight);
  }

  void wait_until(Stage& stage, TimeNs arrival) {
    if (arrival <= stage.clock) return;
    stage.bubble += arrival - stage.clock;
    stage.clock = arrival;
    largest_bubble_ = std::max(largest_bubble_, stage.bubble);
  }

  TimeNs hop_;
  std::int32_t micro_batches_;
  std::int64_t memory_halves_;
  ZbGreedyChoices choices_;
  TimeNs largest_bubble_ = 0;
  std::vector<Stage> stages_;
};

}  // namespace

ZbGreedyOrder zb_greedy(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                        std::int64_t memory_halves, const ZbGreedyChoices& choices) {
  assert(!costs.forward_ns.empty() && micro_batches >= 1 && memory_halves >= kForwardHalves);
  return Greedy(costs, micro_batches, memory_halves, choices).run();
}

}  // namespace steptwin
