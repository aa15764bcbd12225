#include "model/passes/merge_backward.h"

namespace steptwin {
namespace {

bool completes(const Slot& input, const Step& weight) {
  return input && input->type == StepType::bwd_input && weight.type == StepType::bwd_weight &&
         input->stage == weight.stage && input->micro == weight.micro;
}

StepList merged(const StepList& list) {
  StepList result;
  result.reserve(list.size());
  for (const Slot& slot : list) {
    if (!slot) continue;
    if (!result.empty() && completes(result.back(), *slot)) {
      result.back() = make_step(StepType::bwd, slot->stage, slot->micro);
    } else {
      result.push_back(slot);
    }
  }
  return result;
}

}  // namespace

Schedule merge_backward(const Schedule& schedule) {
  Schedule result{schedule.name, schedule.stages, schedule.micro_batches, {}};
  for (const StepList& list : schedule.ranks) result.ranks.push_back(merged(list));
  return result;
}

}  // namespace steptwin
