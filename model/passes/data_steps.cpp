#include "model/passes/data_steps.h"

#include <cassert>
#include <cstddef>

namespace steptwin {
namespace {

// The schedule with the steps that `before` appends for a step put in front of it.
template <typename Before>
Schedule with_steps_before(const Schedule& schedule, Before&& before) {
  Schedule result{schedule.name, schedule.stages, schedule.micro_batches, {}};
  result.ranks.reserve(schedule.ranks.size());
  for (const StepList& list : schedule.ranks) {
    StepList& longer = result.ranks.emplace_back();
    longer.reserve(list.size() + list.size() / 2);
    for (const Slot& slot : list) {
      assert(!slot || slot->type != StepType::batch_send_recv);
      if (slot) before(*slot, longer);
      longer.push_back(slot);
    }
  }
  return result;
}

}  // namespace

Schedule add_data_loads(const Schedule& schedule) {
  return with_steps_before(schedule, [](const Step& step, StepList& list) {
    for_each_leaf(step, [&list](const Step& leaf) {
      if (leaf.type != StepType::fwd) return;
      list.push_back(make_step(StepType::data_load, leaf.stage, leaf.micro));
    });
  });
}

Schedule add_data_transfers(const Schedule& schedule) {
  return with_steps_before(schedule, [](const Step& step, StepList& list) {
    if (step.type == StepType::fwd_send) {
      list.push_back(make_step(StepType::data_send, step.stage, step.micro));
    } else if (step.type == StepType::fwd_recv) {
      list.push_back(make_step(StepType::data_recv, step.stage, step.micro));
    }
  });
}

}  // namespace steptwin
