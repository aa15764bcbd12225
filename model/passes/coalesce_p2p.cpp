#include "model/passes/coalesce_p2p.h"

#include <utility>
#include <vector>

#include "model/passes/p2p_runs.h"

namespace steptwin {
namespace {

StepList coalesced(const StepList& list) {
  StepList result;
  result.reserve(list.size());
  for (std::size_t entry = 0; entry < list.size();) {
    const std::size_t end = end_of_p2p_run(list, entry);
    if (end - entry < 2) {
      result.push_back(list[entry]);
      ++entry;
      continue;
    }
    std::vector<Step> steps;
    for (; entry < end; ++entry) steps.push_back(*list[entry]);
    result.emplace_back(make_batch(std::move(steps)));
  }
  return result;
}

}  // namespace

Schedule coalesce_p2p(const Schedule& schedule) {
  Schedule result{schedule.name, schedule.stages, schedule.micro_batches, {}};
  for (const StepList& list : schedule.ranks) result.ranks.push_back(coalesced(list));
  return result;
}

}  // namespace steptwin
