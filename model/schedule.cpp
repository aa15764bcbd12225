#include "model/schedule.h"

#include <cassert>

namespace steptwin {

std::int32_t StageMap::rank_of(std::int32_t stage) const {
  assert(stage >= 0 && stage < stages());
  return rank_of_stage[static_cast<std::size_t>(stage)];
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

}  // namespace steptwin
