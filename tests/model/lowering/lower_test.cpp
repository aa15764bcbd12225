#include "model/lowering/lower.h"

#include <doctest/doctest.h>

#include "tests/model/lowering/command_words.h"

namespace steptwin {
namespace {

TEST_CASE("host costs are rounded to nanoseconds once") {
  Scenario scenario = stage_scenario("1f1b", 1, 1, 1, 1, 1, 1, 0);
  scenario.host = {.launch_us = 5.0004,
                   .event_us = 0.0005,
                   .rendezvous_us = 1,
                   .wake_us = 2,
                   .fork_us = 3,
                   .one_launch_lock = true};
  const Program program = lowered("rank0: FWD(s0,m0)", scenario);
  CHECK((program.host == HostCosts{5000, 1, 1000, 2000, 3000, true}));
}

TEST_CASE("a rank without work still has its streams and its main thread; bubbles are nothing") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 1, 1, 1, 1, 0);
  Schedule schedule;
  schedule.stages = loop_map(2, 1);
  schedule.micro_batches = 1;
  schedule.ranks = {{std::nullopt, make_step(StepType::fwd, 0, 0), std::nullopt}, {}};
  const Program program = lower(schedule, scenario);
  REQUIRE(program.ranks.size() == 2);
  CHECK(program.kernels.size() == 1);
  CHECK(program.ranks[1].streams == std::vector<std::string>{"compute", "comm"});
  REQUIRE(program.ranks[1].threads.size() == 1);
  CHECK(program.ranks[1].threads[0].commands.empty());
}

TEST_CASE("a chunk's kernel says where it comes from and what it costs") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 3, 7, 11, 13, 1);
  const Program program =
      lowered("rank0: FWD(s0,m2)\nrank1: FWD(s1,m0) BWD(s1,m0) BWD_INPUT(s1,m1) BWD_WEIGHT(s1,m1)",
              scenario);
  const auto is = [&](std::size_t id, StepType step, Direction direction, std::int32_t stage,
                      std::int32_t micro, TimeNs duration) {
    const Kernel& kernel = program.kernels[id];
    return kernel.step == step && kernel.direction == direction && kernel.stage == stage &&
           kernel.micro == micro && kernel.duration_ns == duration && kernel.layer == -1 &&
           kernel.kind == KernelKind::compute && kernel.part == Part::chunk &&
           kernel.rank == stage && kernel.stream == 0 && kernel.communicator == -1;
  };
  CHECK(is(0, StepType::fwd, Direction::forward, 0, 2, 7000));
  CHECK(is(1, StepType::fwd, Direction::forward, 1, 0, 7000));
  CHECK(is(2, StepType::bwd, Direction::backward, 1, 0, 24000));
  CHECK(is(3, StepType::bwd_input, Direction::backward_input, 1, 1, 11000));
  CHECK(is(4, StepType::bwd_weight, Direction::backward_weight, 1, 1, 13000));
}

// Link: 2 us and 1 byte a nanosecond. The gradient of an activation is as large as it is.
TEST_CASE("both ends of a transfer have its bytes and its time") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 1, 1, 1, 1, 2);
  scenario.network.p2p_bandwidth = Bandwidth{1e9};
  scenario.stage.output_bytes = {300, 999};  // of stage 0; the last stage sends nothing on
  const Program program = lowered(
      "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)",
      scenario);
  REQUIRE(program.p2p_parts.size() == 4);
  for (const P2pPart& part : program.p2p_parts) {
    CHECK(part.bytes == 300);
    CHECK(part.transfer_ns == 2300);
  }
  const Kernel& send = program.kernels[1];
  CHECK(send.kind == KernelKind::p2p);
  CHECK(send.part == Part::p2p);
  CHECK(send.direction == Direction::forward);
  CHECK(send.duration_ns == 0);
  CHECK(send.bytes == 0);
  CHECK(program.kernels[2].direction == Direction::backward);
}

TEST_CASE("a collective: its kind, part, layer, launches, bytes, and a communicator of its rank") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 1, 0, 0, 0, 0);
  use_moe_layers(scenario, 2);
  scenario.layers.dispatch = {0, 0, 8000};
  scenario.layers.launches = {{Part::dispatch, 4}};
  scenario.parallel.expert = 2;
  scenario.network.p2p_bandwidth = Bandwidth{1e9};
  const Program program = lowered("rank0: FWD(s0,m0)\nrank1: FWD(s1,m0)", scenario);
  const Kernel& dispatch = program.kernels[13];  // rank 1: layer 2 begins with kernel 8 + 4
  CHECK(dispatch.part == Part::dispatch);
  CHECK(dispatch.kind == KernelKind::all_to_all);
  CHECK(dispatch.layer == 1);
  CHECK(dispatch.launches == 4);
  CHECK(dispatch.bytes == 8000);
  CHECK(dispatch.duration_ns == 4000);
  const Communicator& group =
      program.communicators[static_cast<std::size_t>(dispatch.communicator)];
  CHECK(group.name == "ep.1");
  CHECK(group.ranks == std::vector<std::int32_t>{1});
}

TEST_CASE("a stream for each neighbour leaves the all-to-alls where per_group puts them") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 1, 1, 1, 1, 1);
  use_moe_layers(scenario, 1);
  scenario.pipeline.p2p = P2pMode::multi_stream;
  const auto streams = [&scenario] {
    return lower(make_schedule(scenario), scenario).ranks[0].streams;
  };
  CHECK(streams() == std::vector<std::string>{"compute", "comm", "p2p.0-1"});
  scenario.streams.preset = StreamPreset::per_group;
  CHECK(streams() == std::vector<std::string>{"compute", "comm", "ep", "p2p.0-1"});
  scenario.streams.ep = "experts";
  CHECK(streams() == std::vector<std::string>{"compute", "comm", "experts", "p2p.0-1"});
}

// System: 1F1B on two ranks, two micro-batches; forward 1, backward 2, hops of 0, all in us.
//   rank 0 |F0|F1|.....|--B0--|--B1--|
//   rank 1 .  |F0|--B0--|F1|--B1--|
//          0  1  2      4  5      7  8
// Expectations: rank 0 waits for B0 of rank 1 until 4, then for B1 until 7.
TEST_CASE("1F1B on two ranks, by the clock") {
  const Trace trace = trace_of(stage_scenario("1f1b", 2, 1, 2, 1, 1, 1, 0));
  std::string starts;
  for (const TraceKernel& kernel : trace.kernels) {
    if (kernel.kind != KernelKind::compute) continue;
    starts += fmt::format("{}{}.{}@{} ", kernel.direction == Direction::forward ? "F" : "B",
                          kernel.rank, kernel.micro, kernel.times.start_ns);
  }
  CHECK(starts == "F0.0@0 F0.1@1000 B0.0@4000 B0.1@7000 F1.0@1000 B1.0@2000 F1.1@4000 B1.1@5000 ");
}

}  // namespace
}  // namespace steptwin
