#include "model/passes/split_backward.h"

#include "model/passes/p2p_runs.h"

namespace steptwin {
namespace {

bool is_to_split(const Slot& slot) {
  return slot && slot->type == StepType::overlap_b_f &&
         slot->sub_steps()[0].type == StepType::bwd && slot->sub_steps()[0].stage > 0;
}

StepList split(const StepList& list) {
  StepList result;
  result.reserve(list.size() + list.size() / 4);
  for (std::size_t entry = 0; entry < list.size();) {
    const Slot& slot = list[entry++];
    if (!is_to_split(slot)) {
      result.push_back(slot);
      continue;
    }
    const Step& backward = slot->sub_steps()[0];
    result.emplace_back(make_overlap(StepType::overlap_b_f,
                                     make_step(StepType::bwd_input, backward.stage, backward.micro),
                                     slot->sub_steps()[1], slot->boundary_p2p()));
    const std::size_t end = end_of_p2p_run(list, entry);
    for (; entry < end; ++entry) result.push_back(list[entry]);
    result.emplace_back(make_step(StepType::bwd_weight, backward.stage, backward.micro));
  }
  return result;
}

}  // namespace

Schedule split_overlapped_backward(const Schedule& schedule) {
  Schedule result{schedule.name, schedule.stages, schedule.micro_batches, {}};
  for (const StepList& list : schedule.ranks) result.ranks.push_back(split(list));
  return result;
}

}  // namespace steptwin
