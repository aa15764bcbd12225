#pragma once

#include <string>
#include <utility>
#include <variant>

#include "model/lowering/lower.h"
#include "model/scenario.h"
#include "model/scenario_schedule.h"
#include "model/validate.h"
#include "sim/simulate.h"

namespace steptwin {

// Scenarios for tests, as values.

// Costs per stage, the same for all, in microseconds.
inline Scenario stage_scenario(const std::string& schedule, std::int32_t ranks,
                               std::int32_t chunks_per_rank, std::int32_t micro_batches,
                               double forward_us, double backward_input_us,
                               double backward_weight_us, double p2p_us) {
  Scenario scenario;
  scenario.pipeline.schedule = schedule;
  scenario.pipeline.ranks = ranks;
  scenario.pipeline.chunks_per_rank = chunks_per_rank;
  scenario.pipeline.micro_batches = micro_batches;
  scenario.stage.given = true;
  scenario.stage.forward_us = {forward_us};
  scenario.stage.backward_input_us = {backward_input_us};
  scenario.stage.backward_weight_us = {backward_weight_us};
  scenario.network.p2p_latency_us = p2p_us;
  return scenario;
}

// A latency off the compute stream and nothing queues: the model of the scheduling papers.
inline Scenario unqueued(Scenario scenario) {
  scenario.pipeline.overlap_p2p = true;
  scenario.streams.preset = StreamPreset::unqueued;
  return scenario;
}

// MoE layers whose every part takes 1 ms, also the two halves of a backward together.
inline void use_moe_layers(Scenario& scenario, std::int32_t layers_per_stage) {
  scenario.stage = StageKeys{};
  scenario.layers.given = true;
  scenario.layers.stages.assign(
      static_cast<std::size_t>(scenario.stages()),
      std::vector<LayerKind>(static_cast<std::size_t>(layers_per_stage), LayerKind::moe));
  scenario.layers.attention = {1000, 500, 500};
  scenario.layers.experts = {1000, 500, 500};
  scenario.layers.dispatch = {1000, 1000, -1};
  scenario.layers.combine = {1000, 1000, -1};
}

// On one communication stream each of two ranks waits behind what the other waits for.
inline Scenario hanging_scenario() {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 4, 50, 50, 50, 10);
  scenario.pipeline.recv_placement = RecvPlacement::late;
  scenario.streams.preset = StreamPreset::two;
  return scenario;
}

inline Program lowered(const Schedule& schedule, const Scenario& scenario) {
  Program program = lower(schedule, scenario);
  validate(program);
  return program;
}

inline Program lowered(const Scenario& scenario) {
  return lowered(make_schedule(scenario), scenario);
}

inline Trace trace_of(const Program& program) {
  validate(program);
  return std::get<Trace>(sim::simulate(program));
}

inline Trace trace_of(const Scenario& scenario) {
  return trace_of(lower(make_schedule(scenario), scenario));
}

inline TimeNs makespan_ns(const Trace& trace) {
  TimeNs last = 0;
  for (const TraceKernel& kernel : trace.kernels) last = std::max(last, kernel.times.end_ns);
  return last;
}

}  // namespace steptwin
