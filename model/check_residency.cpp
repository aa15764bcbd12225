#include "model/check_residency.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace steptwin {
namespace {

bool computes_weights(StepType type) {
  return type == StepType::bwd || type == StepType::bwd_weight;
}

// A stage on its rank.
struct Gathering {
  bool is_sharded_at_all = false;
  bool is_gathered = false;
  std::int64_t gathered_in = -1;
  std::int64_t reduced_in = -1;
  bool has_more_to_reduce = false;  // a gradient since the last reduction
  std::int64_t last_gradient_in = -1;
  std::string last_gradient;
};

// The SWAP steps of a (stage, micro-batch), in the order in which they must come.
constexpr std::array kSwap = {StepType::swap_launch_offload, StepType::swap_wait_offload,
                              StepType::swap_launch_load, StepType::swap_wait_load};

struct Swapping {
  bool has_forward = false;
  std::int64_t backward_in = -1;  // the first of them
  std::string backward;
  std::size_t done = 0;    // how many of kSwap
  std::int64_t slot = -1;  // of the last of them
};

class ResidencyChecker {
 public:
  ResidencyChecker(std::int32_t rank, std::vector<Finding>& findings)
      : rank_(rank), findings_(findings) {}

  void check(const StepList& list) {
    for (const Slot& slot : list) {
      if (slot) for_each_leaf(*slot, [this](const Step& step) { note_sharded(step); });
    }
    for (std::size_t slot = 0; slot < list.size(); ++slot) {
      slot_ = static_cast<std::int64_t>(slot);
      if (list[slot]) for_each_leaf(*list[slot], [this](const Step& step) { take(step); });
    }
    check_waits();
    check_stages();
  }

 private:
  void note_sharded(const Step& step) {
    if (step.type == StepType::fsdp_unshard || step.type == StepType::fsdp_reshard) {
      stages_[step.stage].is_sharded_at_all = true;
    }
  }

  void add(std::int64_t slot, std::string step, std::string text) {
    if (findings_.size() == kMostFindings) return;
    findings_.push_back({rank_, slot, std::move(step), std::move(text)});
  }
  void add_here(const Step& step, std::string text) {
    add(slot_, step_label(step), std::move(text));
  }

  void take(const Step& step) {
    if (is_compute(step.type)) {
      take_gathered(step);
      take_resident(step);
    }
    if (step.type == StepType::fsdp_unshard) take_unshard(step);
    if (step.type == StepType::fsdp_reshard) take_reshard(step);
    if (step.type == StepType::fsdp_reduce_grad) take_reduce(step);
    for (std::size_t place = 0; place < kSwap.size(); ++place) {
      if (step.type == kSwap[place]) take_swap(step, place);
    }
  }

  void take_gathered(const Step& step) {
    Gathering& stage = stages_[step.stage];
    if (stage.is_sharded_at_all && !stage.is_gathered) {
      add_here(step, fmt::format("runs while stage {} is sharded", step.stage));
    }
    if (stage.reduced_in >= 0 && computes_weights(step.type)) {
      add_here(step, fmt::format("its gradient comes behind {} in slot {}",
                                 step_label(StepType::fsdp_reduce_grad, step.stage, Step::kNone),
                                 stage.reduced_in));
    }
    if (!computes_weights(step.type)) return;
    stage.has_more_to_reduce = true;
    stage.last_gradient_in = slot_;
    stage.last_gradient = step_label(step);
  }

  void take_unshard(const Step& step) {
    Gathering& stage = stages_[step.stage];
    if (stage.is_gathered) add_here(step, fmt::format("stage {} is gathered already", step.stage));
    stage.is_gathered = true;
    stage.gathered_in = slot_;
  }

  void take_reshard(const Step& step) {
    Gathering& stage = stages_[step.stage];
    if (!stage.is_gathered) add_here(step, fmt::format("stage {} is not gathered", step.stage));
    stage.is_gathered = false;
  }

  void take_reduce(const Step& step) {
    Gathering& stage = stages_[step.stage];
    if (stage.reduced_in >= 0 && !stage.has_more_to_reduce) {
      add_here(step, fmt::format("is done in slot {} already, and no gradient came since",
                                 stage.reduced_in));
    }
    stage.has_more_to_reduce = false;
    stage.reduced_in = slot_;
  }

  // What is gathered is given back, what is summed up is shared out.
  void check_stages() {
    for (const auto& [number, stage] : stages_) {
      if (stage.is_gathered) {
        add(stage.gathered_in, step_label(StepType::fsdp_unshard, number, Step::kNone),
            fmt::format("is never undone: there is no {} behind it",
                        step_label(StepType::fsdp_reshard, number, Step::kNone)));
      }
      if (stage.is_sharded_at_all && stage.last_gradient_in >= 0 && stage.reduced_in < 0) {
        add(stage.last_gradient_in, stage.last_gradient,
            fmt::format("the gradients of stage {} are never reduced: there is no {} behind it",
                        number, step_label(StepType::fsdp_reduce_grad, number, Step::kNone)));
      }
    }
  }

  void take_resident(const Step& step) {
    Swapping& swap = swaps_[{step.stage, step.micro}];
    if (step.type == StepType::fwd) {
      swap.has_forward = true;
      return;
    }
    if (swap.backward_in < 0) {
      swap.backward_in = slot_;
      swap.backward = step_label(step);
    }
    if (swap.done == 0 || swap.done == kSwap.size()) return;
    add_here(step, fmt::format("runs before {}", label(kSwap.back(), step)));
  }

  void take_swap(const Step& step, std::size_t place) {
    Swapping& swap = swaps_[{step.stage, step.micro}];
    if (place == 0 && !swap.has_forward) {
      add_here(step, fmt::format("runs before {}", label(StepType::fwd, step)));
    }
    if (place == 0 && swap.backward_in >= 0) {
      add_here(step, fmt::format("the activations are used up by {} in slot {}", swap.backward,
                                 swap.backward_in));
    }
    if (place < swap.done) {
      add_here(step, place + 1 == swap.done ? fmt::format("is done in slot {} already", swap.slot)
                                            : "is done already");
      return;
    }
    if (place > swap.done) {
      add_here(step, fmt::format("there is no {} before it", label(kSwap[place - 1], step)));
    }
    swap.done = place + 1;
    swap.slot = slot_;
  }

  // What is launched is waited for.
  void check_waits() {
    for (const auto& [key, swap] : swaps_) {
      if (swap.done % 2 == 0) continue;
      const Step step = make_step(kSwap[swap.done - 1], key.first, key.second);
      add(swap.slot, step_label(step),
          fmt::format("is never waited for: there is no {} behind it",
                      label(kSwap[swap.done], step)));
    }
  }

  static std::string label(StepType type, const Step& of) {
    return step_label(type, of.stage, of.micro);
  }

  std::int32_t rank_;
  std::vector<Finding>& findings_;
  std::int64_t slot_ = 0;
  std::map<std::int32_t, Gathering> stages_;
  std::map<std::pair<std::int32_t, std::int32_t>, Swapping> swaps_;  // (stage, micro-batch)
};

bool moves_anything(const StepList& list) {
  return std::ranges::any_of(
      list, [](const Slot& slot) { return slot && slot->type >= StepType::fsdp_unshard; });
}

}  // namespace

std::vector<Finding> residency_findings(const Schedule& schedule) {
  std::vector<Finding> findings;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    if (!moves_anything(schedule.ranks[rank])) continue;
    ResidencyChecker(static_cast<std::int32_t>(rank), findings).check(schedule.ranks[rank]);
  }
  return findings;
}

}  // namespace steptwin
