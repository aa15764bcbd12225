#include "sim/engine.h"

#include <doctest/doctest.h>
#include <string>

#include "tests/scenarios.h"
#include "tests/sim/program_writer.h"

namespace steptwin::sim {
namespace {

constexpr std::int32_t kComm = 1;

TEST_CASE("an empty program is finished") {
  const Program program = empty_program(2, {"compute"});
  CHECK(finished(evaluate(program, false)));
}

TEST_CASE("a thread that has not ended, or a stream that is not empty, is not finished") {
  Program hangs = empty_program(1, {"compute"});
  ThreadWriter main(hangs, 0, 0);
  const std::int32_t event = main.new_event();
  main.host_wait(event);
  main.record_event(event, 0);
  CHECK_FALSE(finished(evaluate(hangs, false)));

  Program pending = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(pending, {0, 1});
  ThreadWriter(pending, 0, 0).send(kComm, pair, 1, 2);
  const State state = evaluate(pending, false);
  CHECK_FALSE(finished(state));
  CHECK(state.threads[0].phase == ThreadPhase::ended);
  CHECK(state.streams[1].passed == 0);
}

// System: four ranks hand a token on, each only when its host has seen the last one arrive. The
// ranks are stated in the opposite order of the way, so that no visit finds everything known.
//   rank 3 -> rank 2 -> rank 1 -> rank 0, 5 ns a hop
TEST_CASE("ranks are evaluated in any order: a chain against the order of their numbers") {
  Program program = empty_program(4, {"compute", "comm", "next"});
  std::vector<std::int32_t> hops;
  for (std::int32_t low = 0; low < 3; ++low) {
    hops.push_back(add_communicator(program, {low, low + 1}));
  }
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    ThreadWriter main(program, rank, 0);
    if (rank < 3) {
      main.recv(kComm, hops[static_cast<std::size_t>(rank)], rank + 1, 5);
      main.host_wait(main.record(kComm));
    }
    if (rank > 0) main.send(2, hops[static_cast<std::size_t>(rank - 1)], rank - 1, 5);
  }
  const State state = evaluate(program, false);
  REQUIRE(finished(state));
  CHECK((state.times[0] == KernelTimes{0, 0, 10, 15}));  // rank 0 receives last
}

// Two ranks, each with two threads, one of them in host_wait for the other rank: whose action is
// the smallest decides, and the two pass the ball to and fro.
//   rank 0 main  |recv..........2|send 2-4|
//   rank 1 main  |send 0-2|recv..........4|
TEST_CASE("held ranks go on in the order of their next actions") {
  Program program = empty_program(2, {"compute", "comm", "other"});
  const std::int32_t there = add_communicator(program, {0, 1});
  const std::int32_t back = add_communicator(program, {0, 1});
  for (const std::int32_t rank : {0, 1}) {
    ThreadWriter main(program, rank, 0);
    ThreadWriter forked = main.fork();
    if (rank == 1) main.send(1, there, 0, 2);
    main.recv(rank == 0 ? 1 : 2, rank == 0 ? there : back, 1 - rank, 2);
    main.host_wait(main.record(rank == 0 ? 1 : 2));
    if (rank == 0) main.send(2, back, 1, 2);
    main.compute(0, 1);
    for (int tick = 0; tick < 6; ++tick) {
      forked.host_work(1);
      forked.compute(0, 0);
    }
    main.join(forked);
  }
  const State state = evaluate(program, true);
  REQUIRE(finished(state));
  const auto end_of = [&](StepType step, std::int32_t rank) {
    for (std::size_t id = 0; id < program.kernels.size(); ++id) {
      const Kernel& kernel = program.kernels[id];
      if (kernel.kind == KernelKind::p2p && kernel.step == step && kernel.rank == rank) {
        return state.times[id].end_ns;
      }
    }
    return TimeNs{-1};
  };
  CHECK(end_of(StepType::fwd_recv, 0) == 2);
  CHECK(end_of(StepType::fwd_recv, 1) == 4);
}

TEST_CASE("the same program gives the same times, with and without host records") {
  Scenario scenario = stage_scenario("zbv", 3, 2, 6, 1, 2, 3, 1);
  use_moe_layers(scenario, 2);
  scenario.host.launch_us = 2;
  const Program program = lower(make_schedule(scenario), scenario);
  const State with = evaluate(program, true);
  const State without = evaluate(program, false);
  CHECK((with.times == without.times));
  CHECK(without.records.empty());
}

}  // namespace
}  // namespace steptwin::sim
