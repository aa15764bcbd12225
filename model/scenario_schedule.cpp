#include "model/scenario_schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "model/check.h"
#include "model/costs.h"
#include "model/formats/schedule_file.h"
#include "model/idle_schedule_keys.h"
#include "model/passes/add_p2p.h"
#include "model/passes/align.h"
#include "model/passes/boundary_p2p.h"
#include "model/passes/coalesce_p2p.h"
#include "model/passes/fsdp.h"
#include "model/passes/offload.h"
#include "model/passes/recv_placement.h"
#include "model/passes/split_backward.h"

namespace steptwin {
namespace {

// An activation and its gradient have the same size.
TimeNs longest_hop(const Scenario& scenario, const StageMap& stages) {
  TimeNs longest = 0;
  for (std::int32_t stage = 0; stage + 1 < stages.stages(); ++stage) {
    const std::int32_t from = stages.rank_of(stage);
    const std::int32_t to = stages.rank_of(stage + 1);
    if (from == to) continue;
    for (const Bytes bytes : output_tensors(scenario, stage, true)) {
      longest = std::max(longest, p2p_time(scenario, from, to, bytes));
    }
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

void refuse_incomplete(const ScheduleFile& file) {
  const std::vector<Finding> findings = check_schedule(file.placed.schedule);
  if (findings.empty()) return;
  const Finding& first = findings.front();
  throw Error(file.position_of(first.rank, first.position), finding_text(first),
              "a complete schedule; steptwin check lists all that is wrong");
}

// Whether a stage's neighbour is on another rank.
bool needs_transfers(const Schedule& schedule) {
  const StageMap& stages = schedule.stages;
  for (std::int32_t stage = 0; stage < stages.stages(); ++stage) {
    const std::int32_t next = stages.stage_after(stage);
    if (next != StageMap::kNoStage && stages.rank_of(next) != stages.rank_of(stage)) return true;
  }
  return false;
}

// Transfers are placed by columns of compute; where other steps belong among them is not known.
void refuse_residency_in_order(const ScheduleFile& file) {
  const std::vector<StepList>& ranks = file.placed.schedule.ranks;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (std::size_t slot = 0; slot < ranks[rank].size(); ++slot) {
      const Slot& step = ranks[rank][slot];
      if (!step || is_compute(step->type) || is_overlap(step->type)) continue;
      throw Error(
          file.position_of(static_cast<std::int32_t>(rank), static_cast<std::int64_t>(slot)),
          std::string(name_of(step->type)) + " in an order that has no transfers, and needs them",
          "computing alone, or the transfers too, as steptwin convert --to torch-comms "
          "places them, and FSDP steps");
    }
  }
}

// What is in the file is run as it stands. But an order of computing alone says nothing of what its
// ranks wait for from each other, and gets its transfers as the orders of the builders do.
Schedule schedule_from_file(const Scenario& scenario) {
  ScheduleFile file = read_schedule_file(scenario);
  refuse_incomplete(file);
  Schedule& schedule = file.placed.schedule;
  if (has_transfers(schedule) || !needs_transfers(schedule)) return std::move(schedule);
  refuse_residency_in_order(file);
  try {
    return add_p2p(align_columns(schedule));
  } catch (const Error& error) {
    throw Error({file.path, 0, 0}, error.wrong(), error.expected());
  }
}

bool has_step(const Schedule& schedule, bool (*wanted)(StepType)) {
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) {
      if (slot && wanted(slot->type)) return true;
    }
  }
  return false;
}

// A file may have been through these passes already.
void refuse_repeated_passes(const Scenario& scenario, const Schedule& schedule) {
  const auto refuse = [&scenario](const std::string& key, const std::string& steps) {
    const auto written = scenario.key_at.find(key);
    throw Error(written == scenario.key_at.end() ? scenario.pipeline.schedule_at : written->second,
                key + " is true, and the schedule has " + steps + " steps already",
                "the key removed: the steps of the schedule are run as they stand");
  };
  if (scenario.parallel.fsdp && has_step(schedule, is_fsdp)) refuse("parallel.fsdp", "FSDP");
  if (scenario.parallel.offload && has_step(schedule, is_swap)) refuse("parallel.offload", "SWAP");
}

// Activations and gradients between two ranks that hold several stages each go the same ways, and
// boundary transfers are moved over each other at one end only: a receive would take the other's.
void refuse_ambiguous_boundary(const StageMap& stages, const Scenario& scenario) {
  if (stages.ranks != 2 || stages.stages() <= 2) return;
  throw Error(scenario.pipeline.p2p_at,
              "boundary transfers between two ranks of several stages each would be matched with "
              "the wrong ones: activations and gradients share each direction of the one pair",
              "pipeline.p2p = \"batch\", three ranks or more, or chunks_per_rank = 1");
}

}  // namespace

Schedule with_transport(const Schedule& schedule, const Scenario& scenario) {
  switch (transport_of(scenario)) {
    case P2pMode::batch:
    case P2pMode::multi_stream:
      return coalesce_p2p(schedule);
    case P2pMode::boundary:
      refuse_ambiguous_boundary(schedule.stages, scenario);
      return attach_boundary_p2p(schedule);
    case P2pMode::automatic:
    case P2pMode::plain:
      break;
  }
  return schedule;
}

P2pMode transport_of(const Scenario& scenario) {
  const PipelineKeys& keys = scenario.pipeline;
  if (keys.p2p != P2pMode::automatic) return keys.p2p;
  return keys.overlap == OverlapMode::b_f ? P2pMode::batch : P2pMode::plain;
}

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
  Schedule schedule = scenario.pipeline.schedule_file.empty() ? built_schedule(scenario)
                                                              : schedule_from_file(scenario);
  if (scenario.pipeline.recv_placement == RecvPlacement::late) {
    Schedule late = place_recvs_late(schedule);
    refuse_idle_pass(scenario, "pipeline.recv_placement", schedule, late,
                     "every receive stands right before its use already");
    schedule = std::move(late);
  }
  if (scenario.pipeline.split_backward) {
    Schedule split = split_overlapped_backward(schedule);
    refuse_idle_pass(scenario, "pipeline.split_backward", schedule, split,
                     "no overlap has a backward to split");
    schedule = std::move(split);
  }
  refuse_repeated_passes(scenario, schedule);
  const ParallelKeys& parallel = scenario.parallel;
  if (parallel.fsdp) schedule = add_fsdp_steps(schedule, parallel.fsdp_window);
  schedule = with_transport(schedule, scenario);
  if (parallel.offload) {
    Schedule offloaded = add_offload_steps(schedule, parallel.offload_min_gap);
    refuse_idle_pass(scenario, "parallel.offload", schedule, offloaded,
                     "every backward follows its forward within parallel.offload_min_gap");
    schedule = std::move(offloaded);
  }
  refuse_idle_schedule_keys(scenario, schedule);
  return schedule;
}

}  // namespace steptwin
