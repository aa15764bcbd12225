#include "model/schedule.h"

#include <cassert>

namespace steptwin {

std::int32_t StageMap::rank_of(std::int32_t stage) const {
  assert(stage >= 0 && stage < stages());
  return rank_of_stage[static_cast<std::size_t>(stage)];
}

std::int32_t StageMap::stage_before(std::int32_t stage) const {
  const bool known = stage >= 0 && stage < stages();
  return !known || stage % (stages() / copies) == 0 ? kNoStage : stage - 1;
}

std::int32_t StageMap::stage_after(std::int32_t stage) const {
  const bool known = stage >= 0 && stage < stages();
  return !known || (stage + 1) % (stages() / copies) == 0 ? kNoStage : stage + 1;
}

std::vector<std::int32_t> StageMap::stages_of(std::int32_t rank) const {
  std::vector<std::int32_t> held;
  for (std::int32_t stage = 0; stage < stages(); ++stage) {
    if (rank_of(stage) == rank) held.push_back(stage);
  }
  return held;
}

StageMap loop_map(std::int32_t ranks, std::int32_t chunks_per_rank) {
  assert(ranks >= 1 && chunks_per_rank >= 1);
  StageMap map{ranks, {}};
  map.rank_of_stage.reserve(static_cast<std::size_t>(ranks) *
                            static_cast<std::size_t>(chunks_per_rank));
  for (std::int32_t chunk = 0; chunk < chunks_per_rank; ++chunk) {
    for (std::int32_t rank = 0; rank < ranks; ++rank) map.rank_of_stage.push_back(rank);
  }
  return map;
}

StageMap v_map(std::int32_t ranks, std::int32_t chunks_per_rank) {
  assert(ranks >= 1 && chunks_per_rank >= 1);
  StageMap map = loop_map(ranks, chunks_per_rank);
  for (std::int32_t stage = 0; stage < map.stages(); ++stage) {
    const bool falling = (stage / ranks) % 2 == 1;
    if (falling) map.rank_of_stage[static_cast<std::size_t>(stage)] = ranks - 1 - stage % ranks;
  }
  return map;
}

StageMap mirrored_map(std::int32_t ranks) {
  StageMap map = v_map(ranks, 2);
  map.copies = 2;
  return map;
}

bool has_transfers(const Schedule& schedule) {
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) {
      if (!slot) continue;
      const std::vector<Step>& inner = slot->sub_steps();
      const bool in_batch = !inner.empty() && is_p2p(inner.front().type);
      if (is_p2p(slot->type) || in_batch || !slot->boundary_p2p().empty()) return true;
    }
  }
  return false;
}

bool Schedule::runs(std::int32_t stage, std::int32_t micro) const {
  const std::int64_t copy = stage / (stages.stages() / stages.copies);
  const std::int64_t micros = micro_batches;
  return micro >= copy * micros / stages.copies && micro < (copy + 1) * micros / stages.copies;
}

}  // namespace steptwin
