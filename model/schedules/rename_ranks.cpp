#include "model/schedules/rename_ranks.h"

#include <cassert>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "model/error.h"

namespace steptwin {

std::vector<std::int32_t> rank_names(const StageMap& own, const StageMap& wanted,
                                     std::string_view own_rule) {
  if (wanted.stages() != own.stages()) {
    throw Error(fmt::format("stage_map lists {} stages", wanted.stages()),
                fmt::format("{}, ranks times chunks_per_rank", own.stages()));
  }
  constexpr std::int32_t kNobody = -1;
  std::vector<std::int32_t> names(static_cast<std::size_t>(own.ranks), kNobody);
  std::vector<std::int32_t> positions(static_cast<std::size_t>(own.ranks), kNobody);
  for (std::int32_t stage = 0; stage < own.stages(); ++stage) {
    const std::int32_t position = own.rank_of(stage);
    const std::int32_t rank = wanted.rank_of(stage);
    if (rank < 0 || rank >= own.ranks) {
      throw Error(fmt::format("stage_map puts stage {} on rank {}", stage, rank),
                  fmt::format("a rank from 0 to {}", own.ranks - 1));
    }
    std::int32_t& name = names[static_cast<std::size_t>(position)];
    std::int32_t& holder = positions[static_cast<std::size_t>(rank)];
    if (name == kNobody && holder == kNobody) {
      name = rank;
      holder = position;
    }
    if (name != rank || holder != position) {
      throw Error(fmt::format("stage_map puts stage {} on rank {}", stage, rank),
                  fmt::format("the map of the schedule, {}, with ranks renamed at most", own_rule));
    }
  }
  return names;
}

Schedule with_ranks_renamed(Schedule schedule, const std::vector<std::int32_t>& names) {
  assert(names.size() == schedule.ranks.size());
  std::vector<StepList> ranks(schedule.ranks.size());
  for (std::size_t position = 0; position < ranks.size(); ++position) {
    ranks[static_cast<std::size_t>(names[position])] = std::move(schedule.ranks[position]);
  }
  schedule.ranks = std::move(ranks);
  for (std::int32_t& rank : schedule.stages.rank_of_stage) {
    rank = names[static_cast<std::size_t>(rank)];
  }
  return schedule;
}

}  // namespace steptwin
