#include "model/scenario_schedule.h"

#include <algorithm>

#include "model/costs.h"
#include "model/passes/recv_placement.h"

namespace steptwin {
namespace {

// An activation and its gradient have the same size.
TimeNs longest_hop(const Scenario& scenario, const StageMap& stages) {
  TimeNs longest = 0;
  for (std::int32_t stage = 0; stage + 1 < stages.stages(); ++stage) {
    const std::int32_t from = stages.rank_of(stage);
    const std::int32_t to = stages.rank_of(stage + 1);
    if (from == to) continue;
    longest = std::max(longest, p2p_time(scenario, from, to, output_bytes(scenario, stage)));
  }
  return longest;
}

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
  request.p2p_ns = longest_hop(scenario, stage_map_of(scenario.pipeline.schedule, request));
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
