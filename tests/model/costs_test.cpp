#include "model/costs.h"

#include <doctest/doctest.h>

namespace steptwin {
namespace {

// Two ranks, one chunk each: two stages.
Scenario two_stages() {
  Scenario scenario;
  scenario.pipeline.ranks = 2;
  scenario.pipeline.micro_batches = 1;
  return scenario;
}

TEST_CASE("stage costs: one value for all or one per stage, in nanoseconds") {
  Scenario scenario = two_stages();
  scenario.stage.given = true;
  scenario.stage.forward_us = {1000.0004, 1000.0006};
  scenario.stage.backward_input_us = {0.7};
  scenario.stage.backward_weight_us = {0.2, 0.3};
  scenario.stage.output_bytes = {5, 6};
  scenario.stage.activation_bytes = {7};
  scenario.stage.parameter_bytes = {8, 9};
  CHECK(stage_time(scenario, 0, Direction::forward) == 1'000'000);
  CHECK(stage_time(scenario, 1, Direction::forward) == 1'000'001);
  CHECK(stage_time(scenario, 1, Direction::backward_input) == 700);
  CHECK(stage_time(scenario, 0, Direction::backward_weight) == 200);
  CHECK(stage_time(scenario, 1, Direction::backward) == 1'000);
  CHECK(output_bytes(scenario, 1) == 6);
  CHECK(activation_bytes(scenario, 1) == 7);
  CHECK(parameter_bytes(scenario, 0) == 8);
}

TEST_CASE("an undivided backward is one kernel, rounded once") {
  // 0.0004 us + 0.0004 us = 0.8 ns: 1 as one kernel, 0 and 0 as two.
  const ComputePartCost cost{0, 0.0004, 0.0004};
  CHECK(compute_time(cost, Direction::backward) == 1);
  CHECK(compute_time(cost, Direction::backward_input) == 0);
  CHECK(compute_time(cost, Direction::backward_weight) == 0);
}

// System: stage 0 = embedding, moe, dense; stage 1 = moe, head.
Scenario layered() {
  Scenario scenario = two_stages();
  LayersKeys& layers = scenario.layers;
  layers.given = true;
  layers.stages = {{LayerKind::moe, LayerKind::dense}, {LayerKind::moe}};
  layers.attention = {1, 2, 3};
  layers.experts = {10, 20, 30};
  layers.mlp = {100, 200, 300};
  layers.embedding = {1000, 2000, 3000};
  layers.head = {10000, 20000, 30000};
  layers.dispatch = {0.1, 0.2, -1};
  layers.combine = {0.3, 0.4, -1};
  layers.counts = {0.05, 0, -1};
  layers.launches = {{Part::attention, 20}};
  layers.output_bytes = 77;
  return scenario;
}

TEST_CASE("layer costs: the sum of the kernels of a stage") {
  Scenario scenario = layered();
  // forward 0: 1000 + (1 + 0.1 + 10 + 0.3) + (1 + 100) us; forward 1: (1 + 0.1 + 10 + 0.3) + 10000
  CHECK(stage_time(scenario, 0, Direction::forward) == 1'112'400);
  CHECK(stage_time(scenario, 1, Direction::forward) == 10'011'400);
  // backward_input 0: 2000 + (2 + 0.2 + 20 + 0.4) + (2 + 200)
  CHECK(stage_time(scenario, 0, Direction::backward_input) == 2'224'600);
  // backward_weight 0, no communication: 3000 + (3 + 30) + (3 + 300)
  CHECK(stage_time(scenario, 0, Direction::backward_weight) == 3'336'000);
  CHECK(stage_time(scenario, 0, Direction::backward) == 2'224'600 + 3'336'000);
  CHECK(stage_time(scenario, 1, Direction::backward) == 50'000'000 + 55'600);
  scenario.moe.counts_exchange = true;
  CHECK(stage_time(scenario, 0, Direction::forward) == 1'112'450);
  CHECK(stage_time(scenario, 0, Direction::backward) == 2'224'600 + 3'336'000);
  CHECK(output_bytes(scenario, 0) == 77);
  CHECK(launches_of(scenario, Part::attention) == 20);
  CHECK(launches_of(scenario, Part::experts) == 1);
}

TEST_CASE("one link for all: latency and bytes over bandwidth") {
  Scenario scenario = two_stages();
  CHECK(p2p_time(scenario, 0, 1, 1'000'000) == 0);
  scenario.network.p2p_latency_us = 2.5;
  CHECK(p2p_time(scenario, 0, 1, 1'000'000) == 2'500);
  scenario.network.p2p_bandwidth = Bandwidth{50e9};
  // 1 MB at 50 GB/s is 20 us.
  CHECK(p2p_time(scenario, 0, 1, 1'000'000) == 22'500);
  CHECK(p2p_time(scenario, 1, 0, 0) == 2'500);
}

// System: nodes of D devices, 1 us within, 10 us between.
Scenario by_node(std::int32_t expert, std::int32_t devices_per_node) {
  Scenario scenario = two_stages();
  scenario.pipeline.ranks = 16;
  scenario.parallel.expert = expert;
  scenario.network.by_node = true;
  scenario.network.devices_per_node = devices_per_node;
  scenario.network.intra_node = LinkKeys{1, Bandwidth{200e9}};
  scenario.network.inter_node = LinkKeys{10, Bandwidth{50e9}};
  return scenario;
}

TEST_CASE("ranks of one node have the fast link") {
  const Scenario scenario = by_node(1, 4);
  // 1 MB: 5 us at 200 GB/s, 20 us at 50 GB/s.
  CHECK(p2p_time(scenario, 0, 3, 1'000'000) == 6'000);
  CHECK(p2p_time(scenario, 3, 4, 1'000'000) == 30'000);
  CHECK(p2p_time(scenario, 7, 4, 1'000'000) == 6'000);
  CHECK(p2p_time(scenario, 0, 15, 1'000'000) == 30'000);
}

TEST_CASE("a rank of E devices fills a node E times as fast, and its slowest peer counts") {
  // Two ranks a node.
  CHECK(p2p_time(by_node(4, 8), 0, 1, 0) == 1'000);
  CHECK(p2p_time(by_node(4, 8), 1, 2, 0) == 10'000);
  // One rank a node: every neighbour is on another.
  CHECK(p2p_time(by_node(8, 8), 0, 1, 0) == 10'000);
  // Ranks of 3 devices on nodes of 8: 0-2, 3-5, 6-8. Peer 2 of rank 2 is on the second node.
  CHECK(p2p_time(by_node(3, 8), 0, 1, 0) == 1'000);
  CHECK(p2p_time(by_node(3, 8), 1, 2, 0) == 10'000);
  CHECK(p2p_time(by_node(3, 8), 2, 1, 0) == 10'000);
}

TEST_CASE("all-to-all: what leaves a device over its link") {
  // E = 4 within a node: 1 us + 3 MB of 4 MB at 200 GB/s = 15 us.
  CHECK(all_to_all_time(by_node(4, 8), 4'000'000) == 16'000);
  // E = 16 over nodes of 8: 10 us + 15 MB of 16 MB at 50 GB/s = 300 us.
  CHECK(all_to_all_time(by_node(16, 8), 16'000'000) == 310'000);
  // Nobody to exchange with.
  CHECK(all_to_all_time(by_node(1, 8), 16'000'000) == 1'000);
  // 10 bytes, E = 4: 2 stay, 8 leave; at 1 byte a microsecond.
  Scenario scenario = two_stages();
  scenario.parallel.expert = 4;
  scenario.network.p2p_bandwidth = Bandwidth{1e6};
  CHECK(all_to_all_time(scenario, 10) == 8'000);
}

TEST_CASE("a communication part has times of its own or bytes on the network") {
  const Scenario scenario = by_node(4, 8);
  const CommPartCost timed{5, 7, -1};
  CHECK(communication_time(scenario, timed, Direction::forward) == 5'000);
  CHECK(communication_time(scenario, timed, Direction::backward) == 7'000);
  CHECK(communication_time(scenario, timed, Direction::backward_input) == 7'000);
  CHECK(communication_time(scenario, timed, Direction::backward_weight) == 0);
  const CommPartCost sized{0, 0, 4'000'000};
  CHECK(communication_time(scenario, sized, Direction::forward) == 16'000);
  CHECK(communication_time(scenario, sized, Direction::backward) == 16'000);
}

}  // namespace
}  // namespace steptwin
