#include "model/scenario_schedule.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "model/formats/steps_text.h"
#include "tests/scenarios.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

using Times = std::vector<TimeNs>;

TEST_CASE("the request has the scenario's shape and options") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 3, 5, 1, 1, 1, 1);
  scenario.pipeline.overlap = OverlapMode::b_f;
  scenario.pipeline.less_memory = true;
  scenario.pipeline.data_steps = true;
  scenario.pipeline.memory_limit = 2.5;
  scenario.pipeline.stage_map = StageMapKind::list;
  scenario.pipeline.stage_map_list = {1, 0, 1, 0, 1, 0};
  const ScheduleRequest request = schedule_request(scenario);
  CHECK(request.ranks == 2);
  CHECK(request.chunks_per_rank == 3);
  CHECK(request.micro_batches == 5);
  CHECK(request.overlap == OverlapMode::b_f);
  CHECK(request.less_memory);
  CHECK(request.data_steps);
  CHECK(request.memory_limit == 2.5);
  CHECK(request.stage_map == StageMapKind::list);
  CHECK(request.stage_map_list == std::vector<std::int32_t>{1, 0, 1, 0, 1, 0});
  CHECK(request.p2p);
}

TEST_CASE("the request has the costs of every stage, in nanoseconds") {
  Scenario scenario = stage_scenario("zb_heuristic", 2, 1, 4, 0, 0, 0, 0);
  scenario.stage.forward_us = {1, 2};
  scenario.stage.backward_input_us = {3};
  scenario.stage.backward_weight_us = {0.004, 0.005};
  const ScheduleRequest request = schedule_request(scenario);
  CHECK(request.forward_ns == Times{1000, 2000});
  CHECK(request.backward_input_ns == Times{3000, 3000});
  CHECK(request.backward_weight_ns == Times{4, 5});
}

// Four ranks, two to a node: the hop between ranks 1 and 2 leaves its node.
//   0 --3 us-- 1 --10 us-- 2 --3 us-- 3         and 1 ns a byte
TEST_CASE("one hop is the longest transfer between neighbouring ranks") {
  Scenario scenario = stage_scenario("zb_heuristic", 4, 1, 4, 1, 1, 1, 0);
  scenario.network.by_node = true;
  scenario.network.devices_per_node = 2;
  scenario.network.intra_node = {3, Bandwidth{1e9}};
  scenario.network.inter_node = {10, Bandwidth{1e9}};
  scenario.stage.output_bytes = {100, 200, 300, 400};
  CHECK(schedule_request(scenario).p2p_ns == 10'200);
  scenario.stage.output_bytes = {100, 200, 9'000, 400};
  CHECK(schedule_request(scenario).p2p_ns == 12'000);
  scenario.pipeline.ranks = 1;
  scenario.stage.output_bytes = {100};
  CHECK(schedule_request(scenario).p2p_ns == 0);
}

// The same ranks, stage by stage on ranks 0, 2, 1, 3: now every hop leaves its node.
TEST_CASE("a hop is between the ranks on which the stage map puts two stages in a row") {
  Scenario scenario = stage_scenario("zb_heuristic", 4, 1, 4, 1, 1, 1, 0);
  scenario.network.by_node = true;
  scenario.network.devices_per_node = 2;
  scenario.network.intra_node = {3, Bandwidth{1e9}};
  scenario.network.inter_node = {10, Bandwidth{1e9}};
  scenario.stage.output_bytes = {5'000, 200, 300, 400};
  CHECK(schedule_request(scenario).p2p_ns == 10'200);  // against 8'000 from rank 0 to 1
  scenario.pipeline.stage_map = StageMapKind::list;
  scenario.pipeline.stage_map_list = {0, 2, 1, 3};
  CHECK(schedule_request(scenario).p2p_ns == 15'000);
}

// Ranks 0 1 0 1 in a loop, 0 1 1 0 in a V: the hop from stage 1 to 2 is one between ranks or none.
TEST_CASE("all chunks have hops, but none between two stages of one rank") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 4, 1, 1, 1, 0);
  scenario.network.p2p_bandwidth = Bandwidth{1e9};
  scenario.stage.output_bytes = {100, 9'000, 300, 20'000};
  CHECK(schedule_request(scenario).p2p_ns == 9'000);
  scenario.pipeline.schedule = "zbv";
  CHECK(schedule_request(scenario).p2p_ns == 300);
}

TEST_CASE("a stage map that the schedule forbids is an error of the schedule") {
  Scenario scenario = stage_scenario("zb_heuristic", 2, 1, 4, 1, 1, 1, 0);
  scenario.pipeline.stage_map = StageMapKind::list;
  scenario.pipeline.stage_map_list = {0, 0};
  scenario.pipeline.schedule_at = {"s.toml", 5, 12};
  CHECK_THROWS_WITH(make_schedule(scenario),
                    "s.toml:5:12: error: stage_map puts stage 1 on rank 0; expected the map of the "
                    "schedule, stage s on rank s mod R, with ranks renamed at most");
}

// Rank 1 of a 1F1B: the builder posts the receive of m1 before it sends what it has just computed.
TEST_CASE("receives stand where the builder puts them, or right before their use") {
  Scenario scenario = stage_scenario("1f1b", 3, 1, 2, 1, 1, 1, 1);
  const auto rank_1 = [&] {
    const Schedule schedule = make_schedule(scenario);
    CHECK(schedule.name == "1f1b");
    return steps_text(schedule.ranks[1]);
  };
  const auto place = [](const std::string& text, const char* step) { return text.find(step); };
  scenario.pipeline.recv_placement = RecvPlacement::early;
  const std::string early = rank_1();
  scenario.pipeline.recv_placement = RecvPlacement::late;
  const std::string late = rank_1();
  CHECK(place(early, "FWD_RECV(s1,m1)") < place(early, "FWD_SEND(s1,m0)"));
  CHECK(place(late, "FWD_RECV(s1,m1) FWD(s1,m1)") != std::string::npos);
  CHECK(place(late, "FWD_RECV(s1,m1)") > place(late, "FWD_SEND(s1,m0)"));
}

TEST_CASE("transfers are batched where the schedule overlaps, unless pipeline.p2p says otherwise") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 4, 1, 1, 1, 1);
  CHECK(transport_of(scenario) == P2pMode::plain);
  scenario.pipeline.overlap = OverlapMode::b_f;
  CHECK(transport_of(scenario) == P2pMode::batch);
  CHECK(steps_text(make_schedule(scenario)).find("BATCH_SEND_RECV") != std::string::npos);
  scenario.pipeline.p2p = P2pMode::plain;
  CHECK(steps_text(make_schedule(scenario)).find("BATCH_SEND_RECV") == std::string::npos);
}

TEST_CASE("weight gradients come after the transfers, before these are batched") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 4, 1, 1, 1, 1);
  scenario.pipeline.overlap = OverlapMode::b_f;
  scenario.pipeline.split_backward = true;
  CHECK(steps_text(make_schedule(scenario).ranks[0])
            .find("OVERLAP_B_F[BWD_INPUT(s2,m0)|FWD(s0,m3)] BATCH_SEND_RECV[BWD_SEND(s2,m0)|"
                  "BWD_RECV(s2,m1)|FWD_SEND(s0,m3)|FWD_RECV(s2,m2)] BWD_WEIGHT(s2,m0)") !=
        std::string::npos);
}

TEST_CASE("boundary transfers between two ranks of several stages are refused") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 4, 1, 1, 1, 1);
  scenario.pipeline.overlap = OverlapMode::b_f;
  scenario.pipeline.p2p = P2pMode::boundary;
  scenario.pipeline.p2p_at = {"s.toml", 7, 7};
  CHECK_THROWS_WITH(make_schedule(scenario),
                    "s.toml:7:7: error: boundary transfers between two ranks of several stages "
                    "each would be matched with the wrong ones: activations and gradients share "
                    "each direction of the one pair; expected pipeline.p2p = \"batch\", three "
                    "ranks or more, or chunks_per_rank = 1");
  scenario.pipeline.chunks_per_rank = 1;
  CHECK(steps_text(make_schedule(scenario)).find("]{FWD_SEND(") != std::string::npos);
}

}  // namespace
}  // namespace steptwin
