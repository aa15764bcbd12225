#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "model/schedule.h"

namespace steptwin {

// Schedules of any steps in any order, for what reads and writes them and does not ask for sense.

using Random = std::mt19937_64;

inline std::int32_t below(Random& random, std::int32_t bound) {
  return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(bound));
}

inline constexpr std::array kP2p = {StepType::fwd_recv, StepType::fwd_send, StepType::bwd_recv,
                                    StepType::bwd_send};

// Random steps of one rank: any of the 21 types, of the stages it holds.
struct StepMaker {
  Random& random;
  std::vector<std::int32_t> stages;
  std::int32_t micro_batches;

  std::int32_t stage() {
    return stages[static_cast<std::size_t>(
        below(random, static_cast<std::int32_t>(stages.size())))];
  }
  Step leaf(StepType type) {
    return shape_of(type) == StepShape::stage_only
               ? make_stage_step(type, stage())
               : make_step(type, stage(), below(random, micro_batches));
  }
  std::vector<Step> p2p_steps(std::int32_t count) {
    std::vector<Step> steps;
    for (std::int32_t index = 0; index < count; ++index) {
      steps.push_back(leaf(kP2p[static_cast<std::size_t>(below(random, 4))]));
    }
    return steps;
  }
  Step step() {
    const StepType type = static_cast<StepType>(below(random, kStepTypeCount));
    if (type == StepType::batch_send_recv) return make_batch(p2p_steps(1 + below(random, 5)));
    if (!is_overlap(type)) return leaf(type);
    const Step forward = leaf(StepType::fwd);
    const Step backward = leaf(below(random, 2) == 0 ? StepType::bwd : StepType::bwd_input);
    if (type == StepType::overlap_f_b) return make_overlap(type, forward, backward);
    return make_overlap(type, backward, forward, p2p_steps(below(random, 4)));
  }
};

// Up to 5 ranks and 7 stages in any map, ranks without a stage among them.
inline Schedule random_schedule(Random& random) {
  Schedule schedule;
  schedule.stages.ranks = 1 + below(random, 5);
  schedule.micro_batches = 1 + below(random, 12);
  const std::int32_t stages = 1 + below(random, 7);
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    schedule.stages.rank_of_stage.push_back(below(random, schedule.stages.ranks));
  }
  for (std::int32_t rank = 0; rank < schedule.stages.ranks; ++rank) {
    StepMaker maker{random, schedule.stages.stages_of(rank), schedule.micro_batches};
    StepList list;
    for (const std::int32_t stage : maker.stages) {
      list.push_back(make_step(StepType::fwd, stage, schedule.micro_batches - 1));
    }
    for (std::int32_t count = below(random, 30); count > 0; --count) {
      const bool bubble = maker.stages.empty() || below(random, 4) == 0;
      list.push_back(bubble ? Slot{} : Slot{maker.step()});
    }
    std::shuffle(list.begin(), list.end(), random);
    schedule.ranks.push_back(list);
  }
  return schedule;
}

// Equality of steps leaves boundary_p2p out; here it counts.
inline bool same(const Slot& left, const Slot& right) {
  if (!left || !right) return left.has_value() == right.has_value();
  return *left == *right && left->boundary_p2p() == right->boundary_p2p();
}

inline bool same(const std::vector<StepList>& left, const std::vector<StepList>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const StepList& one, const StepList& other) {
                      return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                                        [](const Slot& a, const Slot& b) { return same(a, b); });
                    });
}

inline bool same(const Schedule& left, const Schedule& right) {
  return left.stages == right.stages && left.micro_batches == right.micro_batches &&
         same(left.ranks, right.ranks);
}

}  // namespace steptwin
