#include "deadlocks/step_places.h"

#include <vector>

#include "model/formats/steps_text.h"

namespace steptwin::deadlocks {

StepPlaces::StepPlaces(const StepList& list) {
  for (std::size_t slot = 0; slot < list.size(); ++slot) {
    if (!list[slot]) continue;
    const auto note = [&](const Step& step) {
      slots_.try_emplace({step.type, step.stage, step.micro}, static_cast<std::int64_t>(slot));
    };
    for_each_leaf(*list[slot], note);
    for (const Step& step : list[slot]->boundary_p2p()) note(step);
  }
}

std::int64_t StepPlaces::slot_of(const Program& program, std::int64_t kernel) const {
  if (kernel < 0) return -1;
  const Kernel& of_step = program.kernels[static_cast<std::size_t>(kernel)];
  Key key{of_step.step, of_step.stage, of_step.micro};
  if (of_step.part_count > 0) {
    const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(of_step.first_part)];
    key = {part.step, part.stage, part.micro};
  }
  const auto found = slots_.find(key);
  return found == slots_.end() ? -1 : found->second;
}

std::int32_t list_of(const Schedule& schedule, const Program& program, std::int32_t rank) {
  return rank / static_cast<std::int32_t>(program.ranks.size() / schedule.ranks.size());
}

std::int64_t kernel_at(const Program& program, const sim::BlockedItem& item) {
  if (!item.is_thread) return item.kernel;
  const std::vector<Command>& commands = program.ranks[static_cast<std::size_t>(item.rank)]
                                             .threads[static_cast<std::size_t>(item.index)]
                                             .commands;
  for (auto at = static_cast<std::size_t>(item.command); at-- > 0;) {
    if (commands[at].type == CommandType::launch) return commands[at].kernel;
  }
  return -1;
}

Place place_of(const Schedule& schedule, const Program& program, const sim::Deadlock& deadlock) {
  const sim::BlockedItem& item = deadlock.blocked[static_cast<std::size_t>(deadlock.first)];
  const std::int32_t rank = list_of(schedule, program, item.rank);
  const StepList& list = schedule.ranks[static_cast<std::size_t>(rank)];
  Place place{rank, StepPlaces(list).slot_of(program, kernel_at(program, item)), ""};
  if (place.slot >= 0) place.step = step_text(*list[static_cast<std::size_t>(place.slot)]);
  return place;
}

}  // namespace steptwin::deadlocks
