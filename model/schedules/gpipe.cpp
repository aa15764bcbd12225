#include "model/schedules/gpipe.h"

#include <cassert>
#include <cstdint>

#include "model/schedules/one_stage_list.h"

namespace steptwin {
namespace {

StepList rank_list(std::int32_t rank, const ScheduleRequest& request) {
  OneStageList list(rank, request.ranks, request.data_steps);
  for (std::int32_t micro = 0; micro < request.micro_batches; ++micro) {
    list.load(micro);
    list.receive_forward(micro);
    list.forward(micro);
    list.send_forward(micro);
  }
  for (std::int32_t micro = 0; micro < request.micro_batches; ++micro) {
    list.receive_backward(micro);
    list.backward(micro);
    list.send_backward(micro);
  }
  return list.take();
}

}  // namespace

Schedule gpipe_schedule(const ScheduleRequest& request) {
  assert(request.chunks_per_rank == 1);
  Schedule schedule{"gpipe", loop_map(request.ranks, 1), request.micro_batches, {}};
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    schedule.ranks.push_back(rank_list(rank, request));
  }
  return schedule;
}

}  // namespace steptwin
