#include "model/schedules/one_f_one_b.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "model/schedules/one_stage_list.h"

namespace steptwin {
namespace {

// All but the last output is sent.
void warm_up(OneStageList& list, std::int32_t rank, std::int32_t forwards) {
  const bool receives_first = rank % 2 == 1;
  for (std::int32_t micro = 0; micro < forwards; ++micro) {
    list.load(micro);
    list.receive_forward(micro);
    if (receives_first && micro > 0) list.send_forward(micro - 1);
    list.forward(micro);
    if (!receives_first && micro + 1 < forwards) list.send_forward(micro);
  }
}

StepList rank_list(std::int32_t rank, const ScheduleRequest& request) {
  const std::int32_t micro_batches = request.micro_batches;
  const std::int32_t to_the_end = request.ranks - rank;
  const std::int32_t in_flight = std::min(to_the_end, micro_batches);
  OneStageList list(rank, request.ranks, request.data_steps);
  warm_up(list, rank, in_flight);
  bool last_output_sent = false;
  if (to_the_end > micro_batches) {
    list.send_forward(micro_batches - 1);
    last_output_sent = true;
  }
  for (std::int32_t backward = 0; backward < micro_batches; ++backward) {
    const std::int32_t forward = backward + in_flight;
    list.receive_backward(backward);
    if (forward <= micro_batches && !last_output_sent) list.send_forward(forward - 1);
    list.backward(backward);
    if (forward < micro_batches) list.load(forward);
    list.send_backward(backward);
    if (forward < micro_batches) {
      list.receive_forward(forward);
      list.forward(forward);
    }
  }
  return list.take();
}

}  // namespace

Schedule one_f_one_b_schedule(const ScheduleRequest& request) {
  assert(request.chunks_per_rank == 1);
  Schedule schedule{"1f1b", loop_map(request.ranks, 1), request.micro_batches, {}};
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    schedule.ranks.push_back(rank_list(rank, request));
  }
  return schedule;
}

}  // namespace steptwin
