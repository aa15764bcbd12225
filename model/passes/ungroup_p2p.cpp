#include "model/passes/ungroup_p2p.h"

namespace steptwin {

Schedule ungroup_p2p(const Schedule& schedule) {
  Schedule result{schedule.name, schedule.stages, schedule.micro_batches, {}};
  for (const StepList& list : schedule.ranks) {
    StepList& apart = result.ranks.emplace_back();
    apart.reserve(list.size());
    for (const Slot& slot : list) {
      if (slot && slot->type == StepType::batch_send_recv) {
        for (const Step& transfer : slot->sub_steps()) apart.emplace_back(transfer);
      } else if (slot && !slot->boundary_p2p().empty()) {
        const std::vector<Step>& halves = slot->sub_steps();
        apart.emplace_back(make_overlap(slot->type, halves[0], halves[1]));
        for (const Step& transfer : slot->boundary_p2p()) apart.emplace_back(transfer);
      } else {
        apart.push_back(slot);
      }
    }
  }
  return result;
}

}  // namespace steptwin
