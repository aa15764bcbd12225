#include "model/passes/align.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "model/formats/steps_text.h"
#include "model/passes/add_p2p.h"
#include "tests/schedule_checks.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

Schedule order_of(StageMap stages, std::vector<StepList> lists) {
  return Schedule{"", std::move(stages), 2, std::move(lists)};
}

TEST_CASE("each step takes the first tick after all its inputs") {
  // Tick         0   1   2   3   4   5
  //   rank 0    F0  F1   .  B0   .  B1
  //   rank 1     .  F0  B0  F1  B1
  const Schedule columns =
      align_columns(order_of(loop_map(2, 1), {{fwd(0, 0), fwd(0, 1), bwd(0, 0), bwd(0, 1)},
                                              {fwd(1, 0), bwd(1, 0), fwd(1, 1), bwd(1, 1)}}));
  CHECK(steps_text(columns.ranks[0]) == "FWD(s0,m0) FWD(s0,m1) - BWD(s0,m0) - BWD(s0,m1)");
  CHECK(steps_text(columns.ranks[1]) == "- FWD(s1,m0) BWD(s1,m0) FWD(s1,m1) BWD(s1,m1)");
}

TEST_CASE("bubbles of the input count for nothing") {
  const Schedule columns = align_columns(
      order_of(loop_map(2, 1), {{kBubble, fwd(0, 0), kBubble, kBubble, bwd(0, 0), kBubble},
                                {fwd(1, 0), kBubble, bwd(1, 0)}}));
  CHECK(steps_text(columns.ranks[0]) == "FWD(s0,m0) - - BWD(s0,m0)");
  CHECK(steps_text(columns.ranks[1]) == "- FWD(s1,m0) BWD(s1,m0)");
}

TEST_CASE("an overlap takes two ticks and waits for the inputs of both halves") {
  // Tick         0   1   2   3   4   5
  //   rank 0    F0  F1   .  B0   .  B1
  //   rank 1     .  F0  [B0 F1] B1
  const Schedule columns = align_columns(
      order_of(loop_map(2, 1), {{fwd(0, 0), fwd(0, 1), bwd(0, 0), bwd(0, 1)},
                                {fwd(1, 0), overlap_b_f(bwd(1, 0), fwd(1, 1)), bwd(1, 1)}}));
  CHECK(steps_text(columns.ranks[0]) == "FWD(s0,m0) FWD(s0,m1) - BWD(s0,m0) - BWD(s0,m1)");
  CHECK(steps_text(columns.ranks[1]) ==
        "- FWD(s1,m0) OVERLAP_B_F[BWD(s1,m0)|FWD(s1,m1)] BWD(s1,m1)");
  CHECK(schedule_fault(add_p2p(columns)) == "");
}

TEST_CASE("each copy of the model begins and ends by itself") {
  // Stages 0, 1 and their replicas 2, 3; stage 2 waits for nobody, stage 1 turns round.
  // Tick         0   1   2   3   4
  //   rank 0    F0   .  f3  b3  B0
  //   rank 1    f2  F1  B1  .   b2
  const Schedule columns =
      align_columns(order_of(mirrored_map(2), {{fwd(0, 0), fwd(3, 1), bwd(3, 1), bwd(0, 0)},
                                               {fwd(2, 1), fwd(1, 0), bwd(1, 0), bwd(2, 1)}}));
  CHECK(steps_text(columns.ranks[0]) == "FWD(s0,m0) FWD(s3,m1) BWD(s3,m1) BWD(s0,m0)");
  CHECK(steps_text(columns.ranks[1]) == "FWD(s2,m1) FWD(s1,m0) BWD(s1,m0) BWD(s2,m1)");
}

TEST_CASE("a split backward: the input gradient travels on, the weight gradient waits for it") {
  // Tick         0   1   2   3
  //   rank 0    F0   .   .  I0   W0
  //   rank 1     .  F0  I0  W0
  const auto input = [](std::int32_t stage) { return make_step(StepType::bwd_input, stage, 0); };
  const auto weight = [](std::int32_t stage) { return make_step(StepType::bwd_weight, stage, 0); };
  const Schedule columns = align_columns(order_of(
      loop_map(2, 1), {{fwd(0, 0), input(0), weight(0)}, {fwd(1, 0), input(1), weight(1)}}));
  CHECK(steps_text(columns.ranks[0]) == "FWD(s0,m0) - - BWD_INPUT(s0,m0) BWD_WEIGHT(s0,m0)");
  CHECK(steps_text(columns.ranks[1]) == "- FWD(s1,m0) BWD_INPUT(s1,m0) BWD_WEIGHT(s1,m0)");
}

TEST_CASE("stages that share a rank need the tick before as well") {
  const Schedule columns =
      align_columns(order_of(v_map(2, 2), {{fwd(0, 0), fwd(3, 0), bwd(3, 0), bwd(0, 0)},
                                           {fwd(1, 0), fwd(2, 0), bwd(2, 0), bwd(1, 0)}}));
  CHECK(steps_text(columns.ranks[0]) == "FWD(s0,m0) - - FWD(s3,m0) BWD(s3,m0) - - BWD(s0,m0)");
  CHECK(steps_text(columns.ranks[1]) == "- FWD(s1,m0) FWD(s2,m0) - - BWD(s2,m0) BWD(s1,m0)");
}

TEST_CASE("an order that cannot progress names what blocks each rank") {
  CHECK_THROWS_WITH_AS(
      align_columns(order_of(loop_map(2, 1), {{bwd(0, 0), fwd(0, 0)}, {fwd(1, 0), bwd(1, 0)}})),
      "error: the compute order cannot progress: rank 0 stops at BWD(s0,m0), which needs "
      "FWD(s0,m0); rank 1 stops at FWD(s1,m0), which needs FWD(s0,m0); expected an order in which "
      "every step's inputs are computed before it",
      Error);
  CHECK_THROWS_WITH_AS(
      align_columns(order_of(loop_map(2, 1), {{fwd(0, 0), bwd(0, 0)}, {fwd(1, 0)}})),
      "error: the compute order cannot progress: rank 0 stops at BWD(s0,m0), which needs "
      "BWD(s1,m0) and no rank computes that; expected an order in which every step's inputs are "
      "computed before it",
      Error);
}

TEST_CASE("an overlap whose backward waits for its own forward is refused") {
  CHECK_THROWS_WITH_AS(
      align_columns(
          order_of(loop_map(2, 1), {{overlap_b_f(bwd(0, 0), fwd(0, 0))}, {fwd(1, 0), bwd(1, 0)}})),
      "error: the compute order cannot progress: rank 0 stops at BWD(s0,m0), which needs "
      "FWD(s0,m0); rank 1 stops at FWD(s1,m0), which needs FWD(s0,m0); expected an order in which "
      "every step's inputs are computed before it",
      Error);
}

}  // namespace
}  // namespace steptwin
