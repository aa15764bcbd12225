#include <doctest/doctest.h>
#include <string>

#include "sim/simulate.h"
#include "tests/model/lowering/command_words.h"

// What a BATCH_SEND_RECV becomes, command by command, and what it does to time.
namespace steptwin {
namespace {

// Rank 1 of three in the middle of a 1F1B.
const char* const kSteadyState =
    "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) BATCH_SEND_RECV[BWD_RECV(s0,m0)|FWD_SEND(s0,m1)] "
    "BWD(s0,m0)\n"
    "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD_SEND(s1,m0) BWD_RECV(s1,m0) BWD(s1,m0) "
    "BATCH_SEND_RECV[BWD_SEND(s1,m0)|FWD_RECV(s1,m1)] FWD(s1,m1)\n"
    "rank2: FWD_RECV(s2,m0) FWD(s2,m0) BWD(s2,m0) BWD_SEND(s2,m0)";

Scenario three_ranks() {
  return stage_scenario("1f1b", 3, 1, 2, 1, 1, 1, 1);
}

TEST_CASE("steps with one peer become one kernel, whose event every receive in it has") {
  const Program program = lowered(kSteadyState, three_ranks());
  CHECK(thread_words(program, 1) ==
        "FWD_RECV(s1,m0)<0@comm; e0:comm; compute<e0; FWD(s1,m0); "
        "e1:compute; comm<e1; FWD_SEND(s1,m0)>2@comm; "
        "BWD_RECV(s1,m0)<2@comm; e2:comm; compute<e2; BWD(s1,m0); "
        "e3:compute; comm<e3; BATCH_SEND_RECV>0<0@comm; e4:comm; compute<e4; FWD(s1,m1)");
}

TEST_CASE("a group for each peer, in the order in which the peers appear") {
  const Program program = lowered(
      "rank0: FWD(s0,m0) FWD(s0,m1)\n"
      "rank1: FWD(s1,m0) FWD(s1,m1) "
      "BATCH_SEND_RECV[FWD_SEND(s1,m0)|BWD_SEND(s1,m0)|FWD_SEND(s1,m1)|FWD_RECV(s1,m1)]\n"
      "rank2: FWD(s2,m0)",
      [] {
        Scenario scenario = three_ranks();
        scenario.pipeline.overlap_p2p = false;
        return scenario;
      }());
  CHECK(thread_words(program, 1) ==
        "FWD(s1,m0); FWD(s1,m1); "
        "e0:compute; comm<e0; BATCH_SEND_RECV>2>2@comm; e1:comm; compute<e1; "
        "e2:compute; comm<e2; BATCH_SEND_RECV>0<0@comm; e3:comm; compute<e3");
}

TEST_CASE("directions with a stream each are groups of their own") {
  Scenario scenario = three_ranks();
  scenario.streams.preset = StreamPreset::per_direction;
  const std::string words = thread_words(lowered(kSteadyState, scenario), 1);
  CHECK(words.find("BWD_SEND(s1,m0)>0@p2p_backward; FWD_RECV(s1,m1)<0@p2p_forward") !=
        std::string::npos);
}

// System: two ranks, one exchanges an activation of 3 for a gradient of 3 with the other.
// Expectations: one after the other on one stream, or both at once.
//
//   plain   comm |= send =|= receive =|      batch   comm |= both =|
//                0        3           6                   0       3
TEST_CASE("a batch uses both directions of the link at once") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 2, 0, 0, 0, 3);
  const auto step_time = [&scenario](const std::string& lists) {
    const auto outcome = sim::simulate(lowered(lists, scenario));
    REQUIRE(std::holds_alternative<Trace>(outcome));
    TimeNs last = 0;
    for (const TraceKernel& kernel : std::get<Trace>(outcome).kernels) {
      last = std::max(last, kernel.times.end_ns);
    }
    return last;
  };
  CHECK(step_time("rank0: FWD(s0,m0) FWD(s0,m1) FWD_SEND(s0,m0) BWD_RECV(s0,m1)\n"
                  "rank1: FWD(s1,m1) FWD_RECV(s1,m0) BWD_SEND(s1,m1)") == 6'000);
  CHECK(step_time("rank0: FWD(s0,m0) FWD(s0,m1) "
                  "BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m1)]\n"
                  "rank1: FWD(s1,m1) BATCH_SEND_RECV[BWD_SEND(s1,m1)|FWD_RECV(s1,m0)]") == 3'000);
}

}  // namespace
}  // namespace steptwin
