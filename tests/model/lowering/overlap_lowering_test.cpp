#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "tests/model/lowering/command_words.h"

// The commands of overlaps; how their threads meet is in overlap_test.
namespace steptwin {
namespace {

const char* const kTwoOverlaps =
    "rank0: FWD(s0,m0) FWD(s1,m0) OVERLAP_B_F[BWD(s1,m0)|FWD(s0,m1)] "
    "OVERLAP_F_B[FWD(s1,m1)|BWD(s0,m0)]";

Scenario one_rank_two_stages() {
  return stage_scenario("interleaved_1f1b", 1, 2, 2, 1, 1, 1, 0);
}

TEST_CASE("each overlap forks its own thread; forward on main, backward on the thread") {
  const Program program = lowered(kTwoOverlaps, one_rank_two_stages());
  REQUIRE(program.ranks[0].threads.size() == 3);
  CHECK(program.ranks[0].threads[1].name == "backward.1");
  CHECK(program.ranks[0].threads[2].name == "backward.2");
  CHECK(thread_words(program, 0, 0) ==
        "FWD(s0,m0); FWD(s1,m0); "
        "fork1; FWD(s0,m1); depart; join1; "
        "fork2; FWD(s1,m1); depart; join2");
  CHECK(thread_words(program, 0, 1) == "BWD(s1,m0); depart");
  CHECK(thread_words(program, 0, 2) == "BWD(s0,m0); depart");
}

TEST_CASE("without hooks nobody has to depart; without depart only the backward does not") {
  Scenario scenario = one_rank_two_stages();
  scenario.overlap.depart = false;
  Program program = lowered(kTwoOverlaps, scenario);
  CHECK(thread_words(program, 0, 1) == "BWD(s1,m0)");
  CHECK(thread_words(program, 0, 0).find("fork1; FWD(s0,m1); depart; join1") != std::string::npos);
  scenario.overlap.hooks = false;
  program = lowered(kTwoOverlaps, scenario);
  CHECK(thread_words(program, 0, 1) == "BWD(s1,m0)");
  CHECK(thread_words(program, 0, 0).find("fork1; FWD(s0,m1); join1") != std::string::npos);
}

TEST_CASE("sequential execution runs the sub-steps in the order of the tuple, on main") {
  Scenario scenario = one_rank_two_stages();
  scenario.overlap.execution = OverlapExecution::sequential;
  const Program program = lowered(kTwoOverlaps, scenario);
  CHECK(program.ranks[0].threads.size() == 1);
  CHECK(thread_words(program, 0) ==
        "FWD(s0,m0); FWD(s1,m0); BWD(s1,m0); FWD(s0,m1); FWD(s1,m1); BWD(s0,m0)");
}

// Rank 0 holds stages 0 and 2.
TEST_CASE("each receive is waited for by the thread that consumes it") {
  const Program program = lowered(
      "rank0: FWD(s0,m0) FWD(s2,m0) FWD_RECV(s2,m1) BWD_RECV(s0,m0) "
      "OVERLAP_B_F[BWD(s0,m0)|FWD(s2,m1)]\n"
      "rank1: FWD(s1,m0) FWD(s3,m0)",
      stage_scenario("interleaved_1f1b", 2, 2, 2, 1, 1, 1, 1));
  CHECK(thread_words(program, 0, 0) ==
        "FWD(s0,m0); FWD(s2,m0); "
        "FWD_RECV(s2,m1)<1@comm; e0:comm; BWD_RECV(s0,m0)<1@comm; e1:comm; "
        "fork1; compute<e0; FWD(s2,m1); depart; join1");
  CHECK(thread_words(program, 0, 1) == "compute<e1; BWD(s0,m0); depart");
}

// A hook is notify(what was launched), then a rendezvous for what comes next. The last D of the
// forward only notifies, that of the backward, its first hook, is nothing.
TEST_CASE("the hooks of one MoE layer, forward and backward") {
  Scenario scenario = one_rank_two_stages();
  use_moe_layers(scenario, 1);
  const char* const lists = "rank0: OVERLAP_B_F[BWD(s1,m0)|FWD(s0,m1)]";
  const Program program = lowered(lists, scenario);
  CHECK(thread_words(program, 0, 0) ==
        "fork1; F.attention1; notify A1.COMPUTE; A1.COMM; "
        "e4:compute; comm<e4; F.dispatch1@comm; e5:comm; notify B1.COMM; B1.COMPUTE; "
        "compute<e5; F.experts1; notify C1.COMPUTE; C1.COMM; "
        "e6:compute; comm<e6; F.combine1@comm; e7:comm; notify D_LAST.COMM; "
        "depart; join1; "
        "e8:comm; compute<e8");
  CHECK(thread_words(program, 0, 1) ==
        "e0:compute; comm<e0; B.combine1@comm; e1:comm; notify C1.COMM; C1.COMPUTE; "
        "compute<e1; B.experts1; notify B1.COMPUTE; B1.COMM; "
        "e2:compute; comm<e2; B.dispatch1@comm; e3:comm; notify A1.COMM; A1.COMPUTE; "
        "compute<e3; B.attention1; depart");
}

TEST_CASE("hooks are no-ops outside an overlap, and where they are switched off") {
  Scenario scenario = one_rank_two_stages();
  use_moe_layers(scenario, 2);
  const auto has_hooks = [&](const std::string& lists) {
    const Program program = lowered(lists, scenario);
    for (const HostThread& thread : program.ranks[0].threads) {
      for (const Command& command : thread.commands) {
        if (command.type == CommandType::rendezvous || command.type == CommandType::notify) {
          return true;
        }
      }
    }
    return false;
  };
  CHECK_FALSE(has_hooks("rank0: FWD(s0,m0) FWD(s1,m0) BWD(s1,m0) BWD(s0,m0)"));
  CHECK(has_hooks(kTwoOverlaps));
  scenario.overlap.hooks = false;
  CHECK_FALSE(has_hooks(kTwoOverlaps));
  scenario.overlap.hooks = true;
  scenario.overlap.execution = OverlapExecution::sequential;
  CHECK_FALSE(has_hooks(kTwoOverlaps));
}

TEST_CASE("layers after the last MoE layer have no hooks: its D is the last") {
  Scenario scenario = one_rank_two_stages();
  use_moe_layers(scenario, 1);
  scenario.layers.stages[0] = {LayerKind::moe, LayerKind::dense};
  const std::string words =
      thread_words(lowered("rank0: OVERLAP_B_F[BWD(s1,m0)|FWD(s0,m1)]", scenario), 0);
  CHECK(
      words.find("e7:comm; notify D_LAST.COMM; compute<e7; F.attention2; F.mlp2; depart; join1") !=
      std::string::npos);
}

// The dispatch is launched on the COMM side, between A and B, and so are the counts before it.
TEST_CASE("in an overlap the host waits for the counts while it is the COMM side") {
  Scenario scenario = one_rank_two_stages();
  use_moe_layers(scenario, 1);
  scenario.moe.counts_exchange = true;
  const std::string words =
      thread_words(lowered("rank0: OVERLAP_B_F[BWD(s1,m0)|FWD(s0,m1)]", scenario), 0);
  CHECK(words.find("A1.COMM; e4:compute; comm<e4; F.counts1@comm; e5:comm; host<e5; "
                   "e6:compute; comm<e6; F.dispatch1@comm; e7:comm; notify B1.COMM; B1.COMPUTE") !=
        std::string::npos);
}

// System: launches take 1 ns, records and waits 2. The forward is a MoE layer, the backward a
// dense one, without hooks.
//   main       |att|record|wait|dis|            the record takes effect at 3
//   backward.1 |mlp|att'|                       appended at 1 and 2
//   compute     |--att 10--|--mlp' 20--|---att' 30---|
//              0 1 2   3  5 6 11       31            61
// Expectations: with order = stream the event covers the backward's two kernels as well, and the
// dispatch begins at 61; with data it covers the forward's attention and begins at 11.
TEST_CASE("order = stream: compute of the other thread that slips in delays the dispatch") {
  Scenario scenario = one_rank_two_stages();
  use_moe_layers(scenario, 1);
  scenario.layers.stages[1] = {LayerKind::dense};
  scenario.layers.attention = {0.010, 0.015, 0.015};
  scenario.layers.mlp = {0, 0.010, 0.010};
  scenario.overlap.hooks = false;
  scenario.host.launch_us = 0.001;
  scenario.host.event_us = 0.002;
  for (const CommOrder order : {CommOrder::stream, CommOrder::data}) {
    scenario.comm.order = order;
    const Trace trace = trace_of(lowered("rank0: OVERLAP_B_F[BWD(s1,m0)|FWD(s0,m1)]", scenario));
    const auto times = [&](Part part, Direction direction) {
      for (const TraceKernel& kernel : trace.kernels) {
        if (kernel.part == part && kernel.direction == direction) return kernel.times;
      }
      return KernelTimes{};
    };
    CHECK((times(Part::attention, Direction::forward) == KernelTimes{1, 1, 1, 11}));
    CHECK((times(Part::mlp, Direction::backward) == KernelTimes{1, 11, 11, 31}));
    CHECK((times(Part::attention, Direction::backward) == KernelTimes{2, 31, 31, 61}));
    CHECK(times(Part::dispatch, Direction::forward).enqueue_ns == 6);
    CHECK(times(Part::dispatch, Direction::forward).start_ns ==
          (order == CommOrder::stream ? 61 : 11));
  }
}

// Data that another thread has computed goes out behind an event up to that thread's kernel.
TEST_CASE("order = data: what an overlap's thread has computed is sent by main") {
  Scenario scenario = stage_scenario("interleaved_1f1b", 2, 2, 2, 1, 1, 1, 1);
  scenario.comm.order = CommOrder::data;
  const Program program = lowered(
      "rank0: FWD(s0,m0) FWD(s2,m0) OVERLAP_B_F[BWD(s2,m0)|FWD(s2,m1)] BWD_SEND(s2,m0)\n"
      "rank1: FWD(s1,m0) FWD(s3,m0)",
      scenario);
  CHECK(thread_words(program, 0)
            .find("join1; e0:compute/BWD(s2,m0); comm<e0; BWD_SEND(s2,m0)>1@comm") !=
        std::string::npos);
}

TEST_CASE("a divided overlap: BWD_INPUT beside the forward, its BWD_WEIGHT after") {
  const Program program = lowered(
      "rank0: FWD(s0,m0) FWD(s1,m0) OVERLAP_B_F[BWD_INPUT(s1,m0)|FWD(s0,m1)] BWD_WEIGHT(s1,m0)",
      one_rank_two_stages());
  CHECK(thread_words(program, 0) ==
        "FWD(s0,m0); FWD(s1,m0); fork1; FWD(s0,m1); depart; join1; BWD_WEIGHT(s1,m0)");
  CHECK(thread_words(program, 0, 1) == "BWD_INPUT(s1,m0); depart");
}

// The forward's send is on its way before the backward ends: launched by the forward's thread, it
// waits for what that thread has put on compute.
TEST_CASE("boundary transfers are issued by the forward's thread, directly after its last kernel") {
  const char* const lists =
      "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) "
      "OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]{FWD_SEND(s0,m1)|BWD_RECV(s0,m1)}\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)";
  Scenario scenario = stage_scenario("1f1b", 2, 1, 2, 1, 1, 1, 1);
  const Program program = lowered(lists, scenario);
  CHECK(thread_words(program, 0)
            .find("fork1; FWD(s0,m1); "
                  "e2:compute; comm<e2; FWD_SEND(s0,m1)>1@comm; "
                  "BWD_RECV(s0,m1)<1@comm; e3:comm; depart; join1") != std::string::npos);
  CHECK(thread_words(program, 0, 1) == "compute<e1; BWD(s0,m0); depart");
  scenario.overlap.execution = OverlapExecution::sequential;
  CHECK(thread_words(lowered(lists, scenario), 0)
            .find("BWD(s0,m0); FWD(s0,m1); e2:compute; comm<e2; FWD_SEND(s0,m1)>1@comm") !=
        std::string::npos);
}

}  // namespace
}  // namespace steptwin
