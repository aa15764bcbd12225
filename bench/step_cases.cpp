#include "bench/step_cases.h"

#include <utility>

namespace steptwin {
namespace {

void use_host_times(Scenario& scenario) {
  scenario.host.launch_us = 4.5;
  scenario.host.event_us = 0.5;
  scenario.host.rendezvous_us = 2;
  scenario.host.wake_us = 6;
  scenario.host.fork_us = 15;
}

Scenario plain(std::int32_t ranks, std::int32_t micro_batches) {
  Scenario scenario;
  scenario.pipeline.schedule = "1f1b";
  scenario.pipeline.ranks = ranks;
  scenario.pipeline.micro_batches = micro_batches;
  scenario.stage.given = true;
  scenario.stage.forward_us = {1000};
  scenario.stage.backward_input_us = {1100};
  scenario.stage.backward_weight_us = {900};
  scenario.network.p2p_latency_us = 30;
  use_host_times(scenario);
  return scenario;
}

Scenario moe_overlap() {
  Scenario scenario = plain(16, 128);
  scenario.stage = StageKeys{};
  scenario.pipeline.schedule = "interleaved_1f1b";
  scenario.pipeline.chunks_per_rank = 2;
  scenario.pipeline.overlap = OverlapMode::b_f;
  scenario.pipeline.p2p = P2pMode::plain;
  scenario.layers.given = true;
  scenario.layers.stages.assign(32, std::vector<LayerKind>(4, LayerKind::moe));
  scenario.layers.attention = {300, 300, 200};
  scenario.layers.experts = {400, 400, 400};
  scenario.layers.dispatch = {250, 250, -1};
  scenario.layers.combine = {250, 250, -1};
  return scenario;
}

template <typename Array>
double bytes_of(const Array& elements) {
  return static_cast<double>(elements.capacity() * sizeof(typename Array::value_type));
}

}  // namespace

std::vector<BenchCase> bench_cases() {
  return {{"1f1b/64_ranks/256_micro", plain(64, 256)},
          {"1f1b/64_ranks/4096_micro", plain(64, 4096)},
          {"1f1b/1024_ranks/256_micro", plain(1024, 256)},
          {"moe_overlap_hooks/16_ranks/128_micro", moe_overlap()}};
}

double program_bytes(const Program& program) {
  double bytes = bytes_of(program.kernels) + bytes_of(program.p2p_parts);
  for (const RankProgram& rank : program.ranks) {
    for (const HostThread& thread : rank.threads) bytes += bytes_of(thread.commands);
  }
  return bytes;
}

double engine_bytes(const sim::State& state) {
  return bytes_of(state.entries) + bytes_of(state.events) + bytes_of(state.times) +
         bytes_of(state.channels.next_part) + bytes_of(state.watchers) + bytes_of(state.threads) +
         bytes_of(state.streams) + bytes_of(state.records);
}

}  // namespace steptwin
