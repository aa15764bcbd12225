#include <doctest/doctest.h>
#include <string>

#include "tests/model/lowering/command_words.h"

// Transfers of several tensors. The rest of what transfers become is in rank_lowering_test and
// batch_lowering_test.
namespace steptwin {
namespace {

Scenario two_ranks() {
  return stage_scenario("1f1b", 2, 1, 1, 1, 1, 1, 1);
}

const char* const kForwardAndBack =
    "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n"
    "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";

// What requires no gradient goes forward only; a part for each tensor.
TEST_CASE("several tensors travel as parts of one kernel, gradients of those that have one") {
  Scenario scenario = two_ranks();
  scenario.network.p2p_bandwidth = {1e9};  // a byte in a nanosecond
  TensorKeys activation;
  activation.bytes = 3000;
  TensorKeys mask;
  mask.bytes = 500;
  mask.requires_grad = false;
  scenario.stage.outputs = {activation, mask};
  const Program program = lowered(kForwardAndBack, scenario);
  CHECK(thread_words(program, 0) ==
        "FWD(s0,m0); "
        "e0:compute; comm<e0; FWD_SEND(s0,m0)>1>1@comm; "
        "BWD_RECV(s0,m0)<1@comm; e1:comm; "
        "compute<e1; BWD(s0,m0)");
  CHECK(program.p2p_parts[0].transfer_ns == 1000 + 3000);
  CHECK(program.p2p_parts[1].transfer_ns == 1000 + 500);
  CHECK(program.p2p_parts[2].bytes == 3000);
}

TEST_CASE("where nothing requires a gradient the backward transfers are steps without a kernel") {
  Scenario scenario = two_ranks();
  TensorKeys frozen;
  frozen.bytes = 3000;
  frozen.requires_grad = false;
  scenario.stage.outputs = {frozen};
  const Program program = lowered(kForwardAndBack, scenario);
  CHECK(thread_words(program, 0) ==
        "FWD(s0,m0); e0:compute; comm<e0; FWD_SEND(s0,m0)>1@comm; BWD(s0,m0); e1:comm; compute<e1");
  CHECK(thread_words(program, 1) ==
        "FWD_RECV(s1,m0)<0@comm; e0:comm; "
        "compute<e0; FWD(s1,m0); BWD(s1,m0)");
  trace_of(program);
}

TEST_CASE("a batch of which one transfer is left is that transfer") {
  Scenario scenario = two_ranks();
  TensorKeys frozen;
  frozen.bytes = 3000;
  frozen.requires_grad = false;
  scenario.stage.outputs = {frozen};
  const Program program = lowered(
      "rank0: FWD(s0,m0) BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m0)] BWD(s0,m0)\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n",
      scenario);
  CHECK(thread_words(program, 0) ==
        "FWD(s0,m0); e0:compute; comm<e0; FWD_SEND(s0,m0)>1@comm; BWD(s0,m0); e1:comm; compute<e1");
}

}  // namespace
}  // namespace steptwin
