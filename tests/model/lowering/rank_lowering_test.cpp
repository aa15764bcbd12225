#include "model/lowering/rank_lowering.h"

#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "tests/model/lowering/command_words.h"

// What every step becomes, command by command. Overlaps are in overlap_lowering_test.
namespace steptwin {
namespace {

// Two stages on two ranks; costs per stage.
Scenario two_ranks() {
  return stage_scenario("1f1b", 2, 1, 1, 1, 1, 1, 1);
}

// Stages of one MoE layer each.
Scenario moe(std::int32_t ranks, std::int32_t chunks_per_rank) {
  Scenario scenario = stage_scenario("1f1b", ranks, chunks_per_rank, 1, 0, 0, 0, 1);
  use_moe_layers(scenario, 1);
  return scenario;
}

const char* const kForwardAndBack =
    "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n"
    "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";

TEST_CASE("a send: record on compute, wait on the p2p stream, launch; a receive: launch") {
  const Program program = lowered(kForwardAndBack, two_ranks());
  CHECK(thread_words(program, 0) ==
        "FWD(s0,m0); "
        "e0:compute; comm<e0; FWD_SEND(s0,m0)>1@comm; "
        "BWD_RECV(s0,m0)<1@comm; e1:comm; "
        "compute<e1; BWD(s0,m0)");
  CHECK(thread_words(program, 1) ==
        "FWD_RECV(s1,m0)<0@comm; e0:comm; "
        "compute<e0; FWD(s1,m0); "
        "BWD(s1,m0); "
        "e1:compute; comm<e1; BWD_SEND(s1,m0)>0@comm; "
        "e2:comm; compute<e2");
}

TEST_CASE("overlap_p2p = false: compute waits for every transfer right after its launch") {
  Scenario scenario = two_ranks();
  scenario.pipeline.overlap_p2p = false;
  const Program program = lowered(kForwardAndBack, scenario);
  CHECK(thread_words(program, 0)
            .rfind("FWD(s0,m0); "
                   "e0:compute; comm<e0; FWD_SEND(s0,m0)>1@comm; e1:comm; compute<e1; "
                   "BWD_RECV(s0,m0)<1@comm; e2:comm; compute<e2; "
                   "BWD(s0,m0)",
                   0) == 0);
}

// System: two forwards of 10, a transfer of 4.
//   overlap_p2p = true                        false
//   rank 0 compute |FWD m0|FWD m1|            |FWD m0|....|FWD m1|
//   rank 0 comm    .......|====|              .......|====|
//                  0      10   14 20          0      10   14     24
TEST_CASE("overlap_p2p decides whether a transfer holds up the compute behind it") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 2, 0.010, 0, 0, 0.004);
  const char* const lists =
      "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1)\nrank1: FWD_RECV(s1,m0) FWD(s1,m0)";
  for (const bool overlap_p2p : {true, false}) {
    scenario.pipeline.overlap_p2p = overlap_p2p;
    const Trace trace = trace_of(lowered(lists, scenario));
    CHECK(trace.kernels[1].times.start_ns == 10);
    CHECK(trace.kernels[1].times.end_ns == 14);
    CHECK(trace.kernels[2].times.start_ns == (overlap_p2p ? 10 : 14));
  }
}

TEST_CASE("a receive is waited for where it is consumed, not where it is posted") {
  CHECK(thread_words(lowered("rank0: FWD(s0,m0) FWD(s0,m1)\n"
                             "rank1: FWD_RECV(s1,m0) FWD_RECV(s1,m1) FWD(s1,m1) FWD(s1,m0)",
                             two_ranks()),
                     1) ==
        "FWD_RECV(s1,m0)<0@comm; e0:comm; FWD_RECV(s1,m1)<0@comm; e1:comm; "
        "compute<e1; FWD(s1,m1); compute<e0; FWD(s1,m0)");
}

// Rank 0 sends on p2p_forward and receives on p2p_backward.
TEST_CASE("the end of the list waits for the streams that compute does not wait for yet") {
  Scenario scenario = two_ranks();
  scenario.streams.preset = StreamPreset::per_direction;
  CHECK(thread_words(lowered(kForwardAndBack, scenario), 0)
            .ends_with("compute<e1; BWD(s0,m0); e2:p2p_forward; compute<e2"));
  CHECK(thread_words(lowered(kForwardAndBack, scenario), 1)
            .ends_with("e1:compute; p2p_backward<e1; BWD_SEND(s1,m0)>0@p2p_backward; "
                       "e2:p2p_backward; compute<e2"));
  CHECK(thread_words(lowered("rank0: FWD(s0,m0)\nrank1: FWD(s1,m0)", scenario), 0) == "FWD(s0,m0)");
  scenario.pipeline.overlap_p2p = false;  // compute waits for every transfer at its launch
  CHECK(thread_words(lowered(kForwardAndBack, scenario), 1)
            .ends_with("BWD_SEND(s1,m0)>0@p2p_backward; e2:p2p_backward; compute<e2"));
  CHECK(thread_words(lowered(kForwardAndBack, scenario), 0).ends_with("BWD(s0,m0)"));
}

TEST_CASE("a transfer with a stream of its own costs no more host commands than on a shared one") {
  Scenario scenario = two_ranks();
  scenario.streams.preset = StreamPreset::unqueued;
  const Program program = lowered(kForwardAndBack, scenario);
  CHECK(thread_words(program, 0) ==
        "FWD(s0,m0); "
        "e0:compute; p2p.forward.s0.m0<e0; FWD_SEND(s0,m0)>1@p2p.forward.s0.m0; "
        "BWD_RECV(s0,m0)<1@p2p.backward.s0.m0; e1:p2p.backward.s0.m0; "
        "compute<e1; BWD(s0,m0); "
        "e2:p2p.forward.s0.m0; compute<e2");
}

TEST_CASE("a receive that nobody consumes is waited for at the end") {
  const char* const lists = "rank0: FWD(s0,m0)\nrank1: FWD_RECV(s1,m1) FWD(s1,m1) FWD_RECV(s1,m0)";
  CHECK(thread_words(lowered(lists, two_ranks()), 1) ==
        "FWD_RECV(s1,m1)<0@comm; e0:comm; compute<e0; FWD(s1,m1); "
        "FWD_RECV(s1,m0)<0@comm; e1:comm; e2:comm; compute<e2");
}

// Forward: attention, dispatch, experts, combine. Backward: the reverse, and it begins with
// communication, which has to wait for the end of its own forward.
TEST_CASE("a MoE layer: computed data goes out behind an event, results are waited for on use") {
  const Program program = lowered("rank0: FWD(s0,m0) BWD(s0,m0)", moe(1, 1));
  CHECK(thread_words(program, 0) ==
        "F.attention1; e0:compute; comm<e0; F.dispatch1@comm; e1:comm; "
        "compute<e1; F.experts1; e2:compute; comm<e2; F.combine1@comm; e3:comm; "
        "compute<e3; e4:compute; comm<e4; B.combine1@comm; e5:comm; "
        "compute<e5; B.experts1; e6:compute; comm<e6; B.dispatch1@comm; e7:comm; "
        "compute<e7; B.attention1");
}

TEST_CASE("comm.order = data: the event covers the producer only") {
  Scenario scenario = moe(1, 1);
  scenario.comm.order = CommOrder::data;
  CHECK(thread_words(lowered("rank0: FWD(s0,m0) BWD(s0,m0)", scenario), 0) ==
        "F.attention1; e0:compute/F.attention1; comm<e0; F.dispatch1@comm; e1:comm; "
        "compute<e1; F.experts1; e2:compute/F.experts1; comm<e2; F.combine1@comm; e3:comm; "
        "comm<e3; B.combine1@comm; e4:comm; "
        "compute<e4; B.experts1; e5:compute/B.experts1; comm<e5; B.dispatch1@comm; e6:comm; "
        "compute<e6; B.attention1");
}

TEST_CASE("comm.order: a late send waits for the compute in between, or for its producer only") {
  const char* const lists = "rank0: FWD(s0,m0) FWD(s0,m1) FWD_SEND(s0,m0)\nrank1: FWD(s1,m0)";
  Scenario scenario = two_ranks();
  CHECK(thread_words(lowered(lists, scenario), 0)
            .rfind("FWD(s0,m0); FWD(s0,m1); e0:compute; comm<e0; FWD_SEND(s0,m0)>1@comm", 0) == 0);
  scenario.comm.order = CommOrder::data;
  CHECK(thread_words(lowered(lists, scenario), 0)
            .rfind("FWD(s0,m0); FWD(s0,m1); e0:compute/FWD(s0,m0); comm<e0; FWD_SEND(s0,m0)>1@comm",
                   0) == 0);
}

TEST_CASE("a send of what comes out of a combine waits for the combine") {
  const char* const lists = "rank0: FWD(s0,m0) FWD_SEND(s0,m0)\nrank1: FWD(s1,m0)";
  Scenario scenario = moe(2, 1);
  scenario.streams.preset = StreamPreset::per_group;
  const auto after_combine = [&] {
    const std::string words = thread_words(lowered(lists, scenario), 0);
    return words.substr(words.find("F.combine1"));
  };
  const std::string end = "; e6:ep; compute<e6; e7:p2p; compute<e7";
  CHECK(after_combine().rfind("F.combine1@ep; e3:ep; compute<e3; e4:compute; p2p<e4; "
                              "FWD_SEND(s0,m0)>1@p2p; ",
                              0) == 0);
  scenario.comm.order = CommOrder::data;
  CHECK(after_combine().rfind("F.combine1@ep; e3:ep; p2p<e3; FWD_SEND(s0,m0)>1@p2p; ", 0) == 0);
  // That compute waits for the combine at once is no reason for the p2p stream not to wait.
  scenario.comm.wait = CommWait::at_launch;
  CHECK(after_combine().rfind("F.combine1@ep; e3:ep; compute<e3; p2p<e3; FWD_SEND(s0,m0)>1@p2p; ",
                              0) == 0);
}

// The backward of rank 0 begins with communication that consumes the received gradient.
TEST_CASE("communication that consumes a received gradient waits for it, whoever waits besides") {
  const char* const lists = "rank0: FWD(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\nrank1: FWD(s1,m0)";
  Scenario scenario = moe(2, 1);
  scenario.streams.preset = StreamPreset::per_group;
  scenario.layers.stages[0] = {LayerKind::moe};
  const auto from_receive = [&] {
    const std::string words = thread_words(lowered(lists, scenario), 0);
    const std::size_t begin = words.find("BWD_RECV");
    return words.substr(begin, words.find("B.combine1") - begin);
  };
  CHECK(from_receive() ==
        "BWD_RECV(s0,m0)<1@p2p; e4:p2p; compute<e4; compute<e3; e5:compute; ep<e5; ");
  scenario.pipeline.overlap_p2p = false;
  CHECK(from_receive() ==
        "BWD_RECV(s0,m0)<1@p2p; e4:p2p; compute<e4; compute<e3; e5:compute; ep<e5; ");
  scenario.comm.order = CommOrder::data;
  CHECK(from_receive() == "BWD_RECV(s0,m0)<1@p2p; e4:p2p; compute<e4; ep<e4; ep<e3; ");
}

TEST_CASE("comm.wait = at_launch: compute waits for a collective right after its launch") {
  const char* const lists = "rank0: FWD(s0,m0) FWD(s0,m1)";
  const auto between_micros = [&](CommWait wait) {
    Scenario scenario = moe(1, 1);
    scenario.comm.wait = wait;
    const std::string words = thread_words(lowered(lists, scenario), 0);
    const std::size_t begin = words.find("F.combine1");
    return words.substr(begin, words.find("F.attention1", begin) - begin);
  };
  CHECK(between_micros(CommWait::on_use) == "F.combine1@comm; e3:comm; ");
  CHECK(between_micros(CommWait::at_launch) == "F.combine1@comm; e3:comm; compute<e3; ");
}

// System: one MoE layer of 1 ms a part, two micro-batches, a free host.
//   on_use     compute |att0|....|exp0|att1|
//              comm    .....|dis0|....|com0|
//   at_launch  compute |att0|....|exp0|....|att1|
//                      0    1    2    3    4    5 ms
TEST_CASE("with on_use the next micro-batch's attention runs during the combine") {
  for (const CommWait wait : {CommWait::on_use, CommWait::at_launch}) {
    Scenario scenario = moe(1, 1);
    scenario.comm.wait = wait;
    const Trace trace = trace_of(lowered("rank0: FWD(s0,m0) FWD(s0,m1)", scenario));
    CHECK(trace.kernels[3].times.start_ns == 3'000'000);
    CHECK(trace.kernels[4].times.start_ns == (wait == CommWait::on_use ? 3'000'000 : 4'000'000));
  }
}

TEST_CASE("counts exchange: the host waits for the counts before it launches the dispatch") {
  Scenario scenario = moe(1, 1);
  scenario.moe.counts_exchange = true;
  CHECK(thread_words(lowered("rank0: FWD(s0,m0)", scenario), 0) ==
        "F.attention1; e0:compute; comm<e0; F.counts1@comm; e1:comm; host<e1; "
        "e2:compute; comm<e2; F.dispatch1@comm; e3:comm; "
        "compute<e3; F.experts1; e4:compute; comm<e4; F.combine1@comm; e5:comm; "
        "e6:comm; compute<e6");
  scenario.comm.wait = CommWait::at_launch;  // nothing waits for the counts but the host
  CHECK(thread_words(lowered("rank0: FWD(s0,m0)", scenario), 0)
            .rfind("F.attention1; e0:compute; comm<e0; F.counts1@comm; e1:comm; host<e1; "
                   "e2:compute; comm<e2; F.dispatch1@comm; e3:comm; compute<e3; F.experts1",
                   0) == 0);
}

TEST_CASE("BWD_INPUT has all communication, BWD_WEIGHT compute only and waits for nothing") {
  const std::string words =
      thread_words(lowered("rank0: FWD(s0,m0) BWD_INPUT(s0,m0) BWD_WEIGHT(s0,m0)", moe(1, 1)), 0);
  CHECK(words.substr(words.find("F.combine1")) ==
        "F.combine1@comm; e3:comm; "
        "compute<e3; e4:compute; comm<e4; I.combine1@comm; e5:comm; "
        "compute<e5; I.experts1; e6:compute; comm<e6; I.dispatch1@comm; e7:comm; "
        "compute<e7; I.attention1; "
        "W.experts1; W.attention1");
}

TEST_CASE("a gradient goes out after BWD_INPUT; with order = stream a BWD_WEIGHT delays it") {
  const char* const lists =
      "rank0: FWD(s0,m0)\n"
      "rank1: FWD(s1,m0) BWD_INPUT(s1,m0) BWD_WEIGHT(s1,m0) BWD_SEND(s1,m0)";
  Scenario scenario = two_ranks();
  const auto before_end = [&] {
    const std::string words = thread_words(lowered(lists, scenario), 1);
    return words.substr(0, words.find(">0@comm"));
  };
  CHECK(before_end() ==
        "FWD(s1,m0); BWD_INPUT(s1,m0); BWD_WEIGHT(s1,m0); e0:compute; comm<e0; BWD_SEND(s1,m0)");
  scenario.comm.order = CommOrder::data;
  CHECK(before_end() ==
        "FWD(s1,m0); BWD_INPUT(s1,m0); BWD_WEIGHT(s1,m0); e0:compute/BWD_INPUT(s1,m0); comm<e0; "
        "BWD_SEND(s1,m0)");
}

TEST_CASE("dense layers need no events; a mixed stage needs them around its MoE layers only") {
  Scenario scenario = moe(1, 1);
  scenario.layers.stages = {{LayerKind::dense, LayerKind::moe, LayerKind::dense}};
  scenario.layers.embedding = {1, 1, 1};
  scenario.layers.head = {1, 1, 1};
  CHECK(thread_words(lowered("rank0: FWD(s0,m0) BWD(s0,m0)", scenario), 0) ==
        "F.embedding; F.attention1; F.mlp1; "
        "F.attention2; e0:compute; comm<e0; F.dispatch2@comm; e1:comm; "
        "compute<e1; F.experts2; e2:compute; comm<e2; F.combine2@comm; e3:comm; "
        "compute<e3; F.attention3; F.mlp3; F.head; "
        "B.head; B.mlp3; B.attention3; e4:compute; comm<e4; B.combine2@comm; e5:comm; "
        "compute<e5; B.experts2; e6:compute; comm<e6; B.dispatch2@comm; e7:comm; "
        "compute<e7; B.attention2; B.mlp1; B.attention1; B.embedding");
}

// Stages 1 and 2 are neighbours on rank 1: no transfer, but stage 2 consumes what is still in
// stage 1's combine.
//   rank 0: s0, s3      rank 1: s1, s2
TEST_CASE("neighbouring stages on one rank: the next one waits for the pending combine") {
  const Program program = lowered(
      "rank0: FWD(s0,m0) FWD(s3,m0)\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD(s2,m0) FWD_SEND(s2,m0)",
      moe(2, 2));
  CHECK(thread_words(program, 1) ==
        "FWD_RECV(s1,m0)<0@comm; e0:comm; "
        "compute<e0; F.attention1; e1:compute; comm<e1; F.dispatch1@comm; e2:comm; "
        "compute<e2; F.experts1; e3:compute; comm<e3; F.combine1@comm; e4:comm; "
        "compute<e4; F.attention1; e5:compute; comm<e5; F.dispatch1@comm; e6:comm; "
        "compute<e6; F.experts1; e7:compute; comm<e7; F.combine1@comm; e8:comm; "
        "compute<e8; e9:compute; comm<e9; FWD_SEND(s2,m0)>0@comm; "
        "e10:comm; compute<e10");
}

TEST_CASE("neighbouring stages on one rank, backward: the combine waits for the stage above") {
  Scenario scenario = moe(2, 2);
  scenario.comm.order = CommOrder::data;
  const Program program = lowered(
      "rank0: FWD(s0,m0) FWD(s3,m0)\n"
      "rank1: BWD_RECV(s2,m0) BWD(s2,m0) BWD(s1,m0)",
      scenario);
  CHECK(thread_words(program, 1) ==
        "BWD_RECV(s2,m0)<0@comm; e0:comm; "
        "comm<e0; B.combine1@comm; e1:comm; "
        "compute<e1; B.experts1; e2:compute/B.experts1; comm<e2; B.dispatch1@comm; e3:comm; "
        "compute<e3; B.attention1; e4:compute/B.attention1; comm<e4; B.combine1@comm; e5:comm; "
        "compute<e5; B.experts1; e6:compute/B.experts1; comm<e6; B.dispatch1@comm; e7:comm; "
        "compute<e7; B.attention1");
}

std::string error_of(const std::string& lists, const Scenario& scenario) {
  try {
    lowered(lists, scenario);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string error_of(const Step& step) {
  Scenario scenario = stage_scenario("zbv", 2, 2, 1, 1, 1, 1, 1);
  Schedule schedule;
  schedule.stages = v_map(2, 2);
  schedule.micro_batches = 1;
  schedule.ranks = {{step}, {}};
  try {
    lower(schedule, scenario);
  } catch (const Error& error) {
    return error.wrong();
  }
  return "";
}

// Rank 0 holds stages 0 and 3.
TEST_CASE("steps that do not fit the stage map are refused, not run") {
  CHECK(error_of(make_step(StepType::fwd, 1, 0)) ==
        "rank 0 has FWD(s1,m0), but does not hold that stage or micro-batch");
  CHECK(error_of(make_step(StepType::bwd, 4, 0)) ==
        "rank 0 has BWD(s4,m0), but does not hold that stage or micro-batch");
  CHECK(error_of(make_step(StepType::fwd, 3, 1)) ==
        "rank 0 has FWD(s3,m1), but does not hold that stage or micro-batch");
  CHECK(error_of(make_step(StepType::fwd_recv, 0, 0)) ==
        "rank 0 has FWD_RECV(s0,m0), but there is no stage -1");
  CHECK(error_of(make_step(StepType::fwd_send, 3, 0)) ==
        "rank 0 has FWD_SEND(s3,m0), but there is no stage 4");
}

TEST_CASE("a transfer from one copy of the model to the other is refused") {
  const Scenario scenario = stage_scenario("dualpipe", 2, 2, 2, 1, 1, 1, 1);
  Schedule schedule{"", StageMap{2, {0, 1, 0, 1}, 2}, 2, {{}, {}}};
  schedule.ranks[1].emplace_back(make_step(StepType::fwd_send, 1, 0));
  CHECK_THROWS_WITH_AS(lower(schedule, scenario),
                       "error: rank 1 has FWD_SEND(s1,m0), but stage 2 is of another copy of the "
                       "model; expected a transfer between two stages of one copy",
                       Error);
}

TEST_CASE("a transfer between two stages of one rank is refused") {
  Scenario scenario = stage_scenario("zbv", 2, 2, 1, 1, 1, 1, 1);
  CHECK(error_of("rank0: FWD(s0,m0) FWD(s3,m0)\nrank1: FWD(s1,m0) FWD_SEND(s1,m0) FWD(s2,m0)",
                 scenario) ==
        "error: rank 1 has FWD_SEND(s1,m0), but holds stage 2 itself; expected a transfer between "
        "two ranks");
}

}  // namespace
}  // namespace steptwin
