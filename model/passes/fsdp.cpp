#include "model/passes/fsdp.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace steptwin {
namespace {

using Stages = std::vector<std::int32_t>;

bool contains(const Stages& stages, std::int32_t stage) {
  return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

// The stages a slot computes on, in the order of its sub-steps.
Stages computed_stages(const Slot& slot) {
  Stages stages;
  if (!slot) return stages;
  for_each_leaf(*slot, [&stages](const Step& leaf) {
    if (is_compute(leaf.type) && !contains(stages, leaf.stage)) stages.push_back(leaf.stage);
  });
  return stages;
}

// For each entry: the stages that are resident while it runs. From the back: the stages by when
// they are computed on next, of which the first few are taken.
std::vector<Stages> resident_stages(const StepList& list, std::size_t window) {
  std::vector<Stages> resident(list.size());
  Stages by_next_use;
  for (std::size_t entry = list.size(); entry-- > 0;) {
    const Stages now = computed_stages(list[entry]);
    std::erase_if(by_next_use, [&now](std::int32_t stage) { return contains(now, stage); });
    by_next_use.insert(by_next_use.begin(), now.begin(), now.end());
    const std::size_t count = std::min(by_next_use.size(), std::max(window, now.size()));
    resident[entry].assign(by_next_use.begin(),
                           by_next_use.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return resident;
}

// For each stage of the list, the entry of its last weight gradient.
std::vector<Stages> reduced_after(const StepList& list) {
  std::vector<Stages> reduced(list.size());
  Stages done;
  for (std::size_t entry = list.size(); entry-- > 0;) {
    if (!list[entry]) continue;
    for_each_leaf(*list[entry], [&](const Step& leaf) {
      const bool weight = leaf.type == StepType::bwd || leaf.type == StepType::bwd_weight;
      if (!weight || contains(done, leaf.stage)) return;
      reduced[entry].push_back(leaf.stage);
      done.push_back(leaf.stage);
    });
  }
  return reduced;
}

StepList sharded(const StepList& list, std::size_t window) {
  const std::vector<Stages> resident = resident_stages(list, window);
  const std::vector<Stages> reduced = reduced_after(list);
  StepList result;
  result.reserve(list.size() + 16);
  Stages active;
  const auto free = [&result](std::int32_t stage) {
    result.emplace_back(make_stage_step(StepType::fsdp_reshard, stage));
  };
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    const Stages& next = resident[entry];
    for (const std::int32_t stage : active) {
      if (!contains(next, stage)) free(stage);
    }
    std::erase_if(active, [&next](std::int32_t stage) { return !contains(next, stage); });
    for (const std::int32_t stage : next) {
      if (contains(active, stage)) continue;
      result.emplace_back(make_stage_step(StepType::fsdp_unshard, stage));
      active.push_back(stage);
    }
    result.push_back(list[entry]);
    for (const std::int32_t stage : reduced[entry]) {
      result.emplace_back(make_stage_step(StepType::fsdp_reduce_grad, stage));
    }
  }
  for (const std::int32_t stage : active) free(stage);
  return result;
}

}  // namespace

Schedule add_fsdp_steps(const Schedule& schedule, std::int32_t window) {
  assert(window >= 1);
  Schedule result{schedule.name, schedule.stages, schedule.micro_batches, {}};
  for (const StepList& list : schedule.ranks) {
    result.ranks.push_back(sharded(list, static_cast<std::size_t>(window)));
  }
  return result;
}

}  // namespace steptwin
