#include "model/passes/torch_comms.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "model/formats/steps_text.h"
#include "tests/schedule_checks.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

Schedule order_of(StageMap stages, std::int32_t micro_batches, std::vector<StepList> lists) {
  return Schedule{"", std::move(stages), micro_batches, std::move(lists)};
}

// What rank 0 does for a single micro-batch and a split backward.
Step input(std::int32_t stage) {
  return make_step(StepType::bwd_input, stage, 0);
}
Step weight(std::int32_t stage) {
  return make_step(StepType::bwd_weight, stage, 0);
}

TEST_CASE("one action of each rank in turn; a receive goes to the end of the list it is for") {
  // Sweep     1        2             3        4        5
  //   rank 0  F0 >     F1 >          .        B0       B1
  //   rank 1  < F0     < B0 >        F1       B1 >
  const Schedule lowered =
      add_torch_comms(order_of(loop_map(2, 1), 2,
                               {{fwd(0, 0), kBubble, fwd(0, 1), bwd(0, 0), bwd(0, 1)},
                                {fwd(1, 0), bwd(1, 0), kBubble, fwd(1, 1), bwd(1, 1)}}),
                      false);
  CHECK(steps_text(lowered) ==
        "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) FWD_SEND(s0,m1) BWD_RECV(s0,m0) BWD(s0,m0) "
        "BWD_RECV(s0,m1) BWD(s0,m1)\n"
        "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD_RECV(s1,m1) BWD(s1,m0) BWD_SEND(s1,m0) FWD(s1,m1) "
        "BWD(s1,m1) BWD_SEND(s1,m1)\n");
  CHECK(schedule_fault(lowered) == "");
}

TEST_CASE("neighbours on one rank send nothing, weight gradients neither") {
  const Schedule lowered =
      add_torch_comms(order_of(v_map(2, 2), 1,
                               {{fwd(0, 0), fwd(3, 0), input(3), weight(3), input(0), weight(0)},
                                {fwd(1, 0), fwd(2, 0), input(2), input(1), weight(2), weight(1)}}),
                      false);
  CHECK(steps_text(lowered.ranks[1]) ==
        "FWD_RECV(s1,m0) FWD(s1,m0) FWD(s2,m0) FWD_SEND(s2,m0) BWD_RECV(s2,m0) BWD_INPUT(s2,m0) "
        "BWD_INPUT(s1,m0) BWD_SEND(s1,m0) BWD_WEIGHT(s2,m0) BWD_WEIGHT(s1,m0)");
  CHECK(schedule_fault(lowered) == "");
}

TEST_CASE("each copy of the model begins and ends by itself") {
  // Stages 0, 1 and their replicas 2, 3, from the other end.
  const Schedule lowered = add_torch_comms(order_of(mirrored_map(2), 2,
                                                    {{fwd(0, 0), fwd(3, 1), bwd(3, 1), bwd(0, 0)},
                                                     {fwd(2, 1), fwd(1, 0), bwd(1, 0), bwd(2, 1)}}),
                                           false);
  CHECK(steps_text(lowered) ==
        "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD_RECV(s3,m1) FWD(s3,m1) BWD(s3,m1) BWD_SEND(s3,m1) "
        "BWD_RECV(s0,m0) BWD(s0,m0)\n"
        "rank1: FWD_RECV(s1,m0) FWD(s2,m1) FWD_SEND(s2,m1) FWD(s1,m0) BWD_RECV(s2,m1) BWD(s1,m0) "
        "BWD_SEND(s1,m0) BWD(s2,m1)\n");
  CHECK(schedule_fault(lowered) == "");
}

TEST_CASE("an overlap waits for both halves; the sends of both follow it") {
  const Schedule lowered =
      add_torch_comms(order_of(loop_map(3, 1), 2,
                               {{fwd(0, 0), fwd(0, 1), bwd(0, 0), bwd(0, 1)},
                                {fwd(1, 0), overlap_b_f(bwd(1, 0), fwd(1, 1)), bwd(1, 1)},
                                {fwd(2, 0), bwd(2, 0), fwd(2, 1), bwd(2, 1)}}),
                      false);
  CHECK(steps_text(lowered.ranks[1]) ==
        "FWD_RECV(s1,m0) FWD(s1,m0) FWD_SEND(s1,m0) FWD_RECV(s1,m1) BWD_RECV(s1,m0) "
        "OVERLAP_B_F[BWD(s1,m0)|FWD(s1,m1)] BWD_SEND(s1,m0) FWD_SEND(s1,m1) BWD_RECV(s1,m1) "
        "BWD(s1,m1) BWD_SEND(s1,m1)");
  CHECK(schedule_fault(lowered) == "");
}

TEST_CASE("FSDP steps take turns as computing does") {
  const std::vector<StepList> lists = {{fwd(0, 0), bwd(0, 0)}, {fwd(1, 0), bwd(1, 0)}};
  CHECK(steps_text(add_torch_comms(order_of(loop_map(2, 1), 1, lists))) ==
        "rank0: FSDP_UNSHARD(s0) FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0) "
        "FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)\n"
        "rank1: FSDP_UNSHARD(s1) FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0) "
        "FSDP_REDUCE_GRAD(s1) FSDP_RESHARD(s1)\n");
}

TEST_CASE("a rank without steps, and none at all") {
  CHECK(steps_text(add_torch_comms(order_of({2, {0}}, 1, {{fwd(0, 0)}, {}}), false)) ==
        "rank0: FWD(s0,m0)\nrank1:\n");
  CHECK(steps_text(add_torch_comms(order_of({2, {0}}, 1, {{kBubble}, {}}))) == "rank0:\nrank1:\n");
}

TEST_CASE("an order that cannot progress is refused, naming what every rank waits for") {
  // Rank 1 never computes the forward of micro-batch 0 and runs one that does not exist.
  CHECK_THROWS_WITH_AS(
      add_torch_comms(
          order_of(loop_map(2, 1), 2, {{fwd(0, 0), bwd(0, 0), bwd(0, 1)}, {fwd(1, 1), bwd(1, 0)}})),
      "error: the compute order cannot progress: rank 0 stops at BWD(s0,m0), which needs "
      "BWD(s1,m0); rank 1 stops at FWD(s1,m1), which needs FWD(s0,m1); expected an order in which "
      "every step's inputs are computed before it",
      Error);
}

TEST_CASE("a schedule that has transfers is refused") {
  CHECK_THROWS_WITH_AS(
      add_torch_comms(order_of(loop_map(1, 1), 1, {{make_step(StepType::fwd_send, 0, 0)}})),
      "error: rank 0 has a FWD_SEND step in its compute order; expected FWD, BWD, BWD_INPUT, "
      "BWD_WEIGHT and overlaps only",
      Error);
}

}  // namespace
}  // namespace steptwin
