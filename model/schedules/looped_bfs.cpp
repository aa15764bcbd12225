#include "model/schedules/looped_bfs.h"

#include <cstdint>

namespace steptwin {
namespace {

StepList rank_order(std::int32_t rank, const ScheduleRequest& request) {
  StepList list;
  for (std::int32_t chunk = 0; chunk < request.chunks_per_rank; ++chunk) {
    for (std::int32_t micro = 0; micro < request.micro_batches; ++micro) {
      list.emplace_back(make_step(StepType::fwd, chunk * request.ranks + rank, micro));
    }
  }
  for (std::int32_t chunk = request.chunks_per_rank; chunk-- > 0;) {
    for (std::int32_t micro = request.micro_batches; micro-- > 0;) {
      list.emplace_back(make_step(StepType::bwd, chunk * request.ranks + rank, micro));
    }
  }
  return list;
}

}  // namespace

Schedule looped_bfs_order(const ScheduleRequest& request) {
  const StageMap stages = loop_map(request.ranks, request.chunks_per_rank);
  Schedule order{"looped_bfs", stages, request.micro_batches, {}};
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    order.ranks.push_back(rank_order(rank, request));
  }
  return order;
}

}  // namespace steptwin
