#include "model/passes/boundary_p2p.h"

#include <utility>
#include <vector>

#include "model/passes/p2p_runs.h"

namespace steptwin {
namespace {

bool sends_result_of(const Step& step, const Step& forward) {
  return step.type == StepType::fwd_send && step.stage == forward.stage &&
         step.micro == forward.micro;
}

// What the overlap takes over of the entries begin..end-1.
std::vector<Step> boundary_of(const StepList& list, const Step& forward, std::size_t begin,
                              std::size_t end) {
  std::vector<Step> boundary;
  for (std::size_t entry = begin; entry < end; ++entry) {
    if (sends_result_of(*list[entry], forward)) boundary.push_back(*list[entry]);
  }
  for (std::size_t entry = begin; entry < end; ++entry) {
    if (is_recv(list[entry]->type)) boundary.push_back(*list[entry]);
  }
  return boundary;
}

StepList attached(const StepList& list) {
  StepList result;
  result.reserve(list.size());
  for (std::size_t entry = 0; entry < list.size();) {
    const Slot& slot = list[entry++];
    if (!slot || slot->type != StepType::overlap_b_f) {
      result.push_back(slot);
      continue;
    }
    const Step& backward = slot->sub_steps()[0];
    const Step& forward = slot->sub_steps()[1];
    const std::size_t end = end_of_p2p_run(list, entry);
    std::vector<Step> boundary = boundary_of(list, forward, entry, end);
    result.emplace_back(
        make_overlap(StepType::overlap_b_f, backward, forward, std::move(boundary)));
    for (; entry < end; ++entry) {
      const Step& step = *list[entry];
      if (!is_recv(step.type) && !sends_result_of(step, forward)) result.push_back(step);
    }
  }
  return result;
}

}  // namespace

Schedule attach_boundary_p2p(const Schedule& schedule) {
  Schedule result{schedule.name, schedule.stages, schedule.micro_batches, {}};
  for (const StepList& list : schedule.ranks) result.ranks.push_back(attached(list));
  return result;
}

}  // namespace steptwin
