#include "tests/sim/random_scenario.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/scenario_schedule.h"
#include "model/schedules/schedules.h"

namespace steptwin {
namespace {

// Whole nanoseconds, in the unit of the keys.
double few_us(Draw& draw) {
  return static_cast<double>(draw.pick<std::int64_t>({0, 1, 1, 2, 3, 5})) / 1000;
}

double often_no_us(Draw& draw) {
  return draw.chance(0.6) ? 0 : few_us(draw);
}

void draw_pipeline(PipelineKeys& keys, Draw& draw) {
  keys.schedule = std::string(draw.pick(schedule_names()));
  keys.ranks = draw.between32(1, 4);
  keys.micro_batches = draw.between32(1, 6);
  keys.chunks_per_rank = chunks_prescribed(keys.schedule);
  if (keys.chunks_per_rank == 0) keys.chunks_per_rank = draw.between32(1, 3);
  if (keys.schedule == "dualpipe") keys.ranks = 2 * draw.between32(1, 2);
  if (keys.schedule.starts_with("dualpipe")) {
    keys.micro_batches = 2 * keys.ranks + 2 * draw.between32(0, 2);
  }
  if (keys.schedule == "interleaved_1f1b") {
    if (draw.chance(0.7)) keys.overlap = OverlapMode::b_f;
    keys.less_memory = keys.overlap == OverlapMode::none && draw.chance(0.5);
  }
  keys.overlap_p2p = draw.chance(0.7);
  keys.p2p = static_cast<P2pMode>(draw.between(0, 4));
  keys.split_backward = draw.chance(0.2);
  if (draw.chance(0.2)) keys.recv_placement = RecvPlacement::late;
  const bool heuristic = keys.schedule == "zb_heuristic" || keys.schedule == "zbv_heuristic";
  if (heuristic && draw.chance(0.5)) keys.memory_limit = 2 * keys.ranks;
}

// The loop map with the ranks renamed.
void draw_stage_map(PipelineKeys& keys, Draw& draw) {
  if (chunks_prescribed(keys.schedule) == 2 || draw.chance(0.7)) return;  // a V
  std::vector<std::int32_t> names;
  for (std::int32_t rank = 0; rank < keys.ranks; ++rank) {
    names.insert(names.begin() + draw.between(0, rank), rank);
  }
  keys.stage_map = StageMapKind::list;
  for (std::int32_t stage = 0; stage < keys.ranks * keys.chunks_per_rank; ++stage) {
    keys.stage_map_list.push_back(names[static_cast<std::size_t>(stage % keys.ranks)]);
  }
}

void draw_stage_costs(Scenario& scenario, Draw& draw) {
  StageKeys& keys = scenario.stage;
  keys.given = true;
  const std::int32_t count = draw.chance(0.5) ? 1 : scenario.stages();
  keys.output_bytes.clear();
  for (std::int32_t stage = 0; stage < count; ++stage) {
    keys.forward_us.push_back(few_us(draw));
    keys.backward_input_us.push_back(few_us(draw));
    keys.backward_weight_us.push_back(few_us(draw));
    keys.output_bytes.push_back(draw.between(0, 3));
  }
}

CommPartCost comm_cost(Draw& draw) {
  return {few_us(draw), few_us(draw), draw.chance(0.3) ? draw.between(0, 8) : -1};
}

void draw_layers(Scenario& scenario, Draw& draw) {
  LayersKeys& keys = scenario.layers;
  keys.given = true;
  const double dense = draw.pick<double>({0, 0, 0.4, 1});
  for (std::int32_t stage = 0; stage < scenario.stages(); ++stage) {
    keys.stages.emplace_back();
    for (std::int32_t layer = draw.between32(1, 3); layer > 0; --layer) {
      keys.stages.back().push_back(draw.chance(dense) ? LayerKind::dense : LayerKind::moe);
    }
  }
  for (ComputePartCost* cost : {&keys.attention, &keys.experts, &keys.mlp}) {
    *cost = {few_us(draw), few_us(draw), few_us(draw)};
  }
  if (draw.chance(0.5)) keys.embedding = {few_us(draw), few_us(draw), few_us(draw)};
  if (draw.chance(0.5)) keys.head = {few_us(draw), few_us(draw), few_us(draw)};
  for (CommPartCost* cost : {&keys.dispatch, &keys.combine, &keys.counts}) {
    *cost = comm_cost(draw);
  }
  for (const Part part : {Part::attention, Part::dispatch, Part::experts}) {
    if (draw.chance(0.3)) keys.launches[part] = draw.between32(0, 3);
  }
  keys.output_bytes = draw.between(0, 3);
  scenario.moe.counts_exchange = draw.chance(0.4);
}

void draw_network(Scenario& scenario, Draw& draw) {
  NetworkKeys& keys = scenario.network;
  scenario.parallel.expert = draw.between32(1, 4);
  keys.devices_per_node = draw.between32(1, 8);
  keys.p2p_latency_us = few_us(draw);
  const Bandwidth byte_a_nanosecond{1e9};
  if (draw.chance(0.5)) keys.p2p_bandwidth = byte_a_nanosecond;
  keys.by_node = draw.chance(0.4);
  keys.intra_node = {few_us(draw), Bandwidth{}};
  keys.inter_node = {few_us(draw), byte_a_nanosecond};
}

void draw_host(HostKeys& keys, Draw& draw) {
  if (draw.chance(0.3)) return;
  for (double* cost :
       {&keys.launch_us, &keys.event_us, &keys.rendezvous_us, &keys.wake_us, &keys.fork_us}) {
    *cost = often_no_us(draw);
  }
  keys.one_launch_lock = draw.chance(0.3);
}

void draw_streams(StreamKeys& keys, Draw& draw) {
  keys.preset = static_cast<StreamPreset>(draw.between(0, 5));
  if (draw.chance(0.6)) return;
  const std::vector<std::string> names = {"", "", "comm", "p2p", "ep", "own", "p2p_forward"};
  for (std::string* name : {&keys.ep, &keys.p2p, &keys.p2p_forward, &keys.p2p_backward}) {
    *name = draw.pick(names);
  }
}

// Each kind alone and together with others.
void draw_contention(Scenario& scenario, Draw& draw) {
  if (draw.chance(0.3)) scenario.network.eager_bytes = draw.between(1, 3);
  if (draw.chance(0.4)) return;
  ContentionKeys& keys = scenario.contention;
  const std::int64_t kinds = draw.between(1, 15);
  const std::vector<double> losses = {0.1, 0.25, 0.3, 0.5, 0.9};
  keys.share_ports = (kinds & 1) != 0;
  if ((kinds & 2) != 0) keys.compute_loss = draw.pick(losses);
  if ((kinds & 4) != 0) keys.comm_loss = draw.pick(losses);
  if ((kinds & 8) != 0) keys.host_cores = draw.between32(1, 3);
  keys.while_waiting = draw.chance(0.6);
}

TensorKeys tensor(Draw& draw, bool requires_grad) {
  TensorKeys keys;
  keys.bytes = draw.between(0, 3);
  keys.requires_grad = requires_grad;
  return keys;
}

// What comes and goes beside a pipeline's own transfers, and peers that are ranks of their own.
void draw_residency(Scenario& scenario, Draw& draw) {
  ParallelKeys& keys = scenario.parallel;
  keys.fold = draw.chance(0.7);
  keys.fsdp = draw.chance(0.3);
  keys.fsdp_window = draw.between32(1, 3);
  keys.offload = draw.chance(0.3);
  keys.offload_min_gap = draw.between32(3, 5);
  scenario.pipeline.data_steps = draw.chance(0.2);
  scenario.data = {often_no_us(draw), draw.between(0, 3)};
  scenario.network.device_host = {few_us(draw), Bandwidth{1e9}};
  scenario.stage.activation_bytes = {draw.between(0, 4)};
  scenario.stage.parameter_bytes = {draw.between(0, 8)};
  if (draw.chance(0.2))
    scenario.stage.outputs = {tensor(draw, true), tensor(draw, draw.chance(0.5))};
}

void draw_noise(Scenario& scenario, Draw& draw) {
  if (draw.chance(0.7)) return;
  NoiseKeys& keys = scenario.noise;
  keys.seed = draw.between(1, 1000);
  if (draw.chance(0.5)) keys.compute_sigma = 0.5;
  if (draw.chance(0.5)) keys.moe_imbalance = 0.5;
  if (draw.chance(0.5)) {
    keys.straggler_rank = draw.between32(0, scenario.pipeline.ranks * scenario.parallel.expert - 1);
    keys.straggler_factor = 2;
  }
}

Slot with_forward_first(const Step& overlap) {
  return make_overlap(StepType::overlap_f_b, overlap.sub_steps()[1], overlap.sub_steps()[0]);
}

}  // namespace

Scenario random_scenario(Draw& draw) {
  Scenario scenario;
  draw_pipeline(scenario.pipeline, draw);
  draw_stage_map(scenario.pipeline, draw);
  draw.chance(0.4) ? draw_stage_costs(scenario, draw) : draw_layers(scenario, draw);
  draw_network(scenario, draw);
  draw_host(scenario.host, draw);
  draw_streams(scenario.streams, draw);
  scenario.comm.order = draw.chance(0.5) ? CommOrder::stream : CommOrder::data;
  scenario.comm.wait = draw.chance(0.6) ? CommWait::on_use : CommWait::at_launch;
  if (draw.chance(0.2)) scenario.overlap.execution = OverlapExecution::sequential;
  scenario.overlap.hooks = draw.chance(0.7);
  scenario.overlap.depart = draw.chance(0.8);
  draw_contention(scenario, draw);
  draw_residency(scenario, draw);
  draw_noise(scenario, draw);
  return scenario;
}

Schedule random_schedule(const Scenario& scenario, Draw& draw) {
  Schedule schedule = make_schedule(scenario);
  const bool forward_first = scenario.pipeline.p2p != P2pMode::boundary && draw.chance(0.3);
  const bool divided = !scenario.pipeline.split_backward && draw.chance(0.3);
  for (StepList& list : schedule.ranks) {
    StepList changed;
    for (const Slot& slot : list) {
      if (!slot || slot->type != StepType::overlap_b_f) {
        changed.push_back(slot);
        continue;
      }
      const Step& backward = slot->sub_steps()[0];
      Step overlap = *slot;
      if (divided) {
        overlap = make_overlap(StepType::overlap_b_f,
                               make_step(StepType::bwd_input, backward.stage, backward.micro),
                               slot->sub_steps()[1], slot->boundary_p2p());
      }
      changed.push_back(forward_first ? with_forward_first(overlap) : Slot(overlap));
      if (divided) {
        changed.push_back(make_step(StepType::bwd_weight, backward.stage, backward.micro));
      }
    }
    list = std::move(changed);
  }
  return schedule;
}

}  // namespace steptwin
