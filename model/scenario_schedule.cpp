#include "model/scenario_schedule.h"

#include <algorithm>

#include "model/costs.h"
#include "model/passes/recv_placement.h"

namespace steptwin {
namespace {

// The builders know their rules, but not where the schedule was asked for.
Schedule built_schedule(const Scenario& scenario) {
  try {
    return build_schedule(scenario.pipeline.schedule, schedule_request(scenario));
  } catch (const Error& error) {
    throw Error(scenario.pipeline.schedule_at, error.wrong(), error.expected());
  }
}

}  // namespace

ScheduleRequest schedule_request(const Scenario& scenario) {
  ScheduleRequest request;
  request.ranks = scenario.pipeline.ranks;
  request.chunks_per_rank = scenario.pipeline.chunks_per_rank;
  request.micro_batches = scenario.pipeline.micro_batches;
  request.overlap = scenario.pipeline.overlap;
  request.less_memory = scenario.pipeline.less_memory;
  request.stage_map = scenario.pipeline.stage_map;
  request.stage_map_list = scenario.pipeline.stage_map_list;
  request.data_steps = scenario.pipeline.data_steps;
  request.memory_limit = scenario.pipeline.memory_limit;
  for (std::int32_t stage = 0; stage < scenario.stages(); ++stage) {
    request.forward_ns.push_back(stage_time(scenario, stage, Direction::forward));
    request.backward_input_ns.push_back(stage_time(scenario, stage, Direction::backward_input));
    request.backward_weight_ns.push_back(stage_time(scenario, stage, Direction::backward_weight));
  }
  for (std::int32_t rank = 0; rank + 1 < scenario.pipeline.ranks; ++rank) {
    request.p2p_ns =
        std::max(request.p2p_ns, p2p_time(scenario, rank, rank + 1, output_bytes(scenario, rank)));
  }
  return request;
}

Schedule make_schedule(const Scenario& scenario) {
  Schedule schedule = built_schedule(scenario);
  if (scenario.pipeline.recv_placement == RecvPlacement::late) {
    return place_recvs_late(schedule);
  }
  return schedule;
}

}  // namespace steptwin
