#include "model/passes/add_p2p.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "model/formats/steps_text.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

Schedule columns_of(StageMap stages, std::vector<StepList> lists) {
  return Schedule{"", std::move(stages), 4, std::move(lists)};
}

TEST_CASE("a send follows its producer, the receive comes in the same column") {
  const Schedule placed = add_p2p(columns_of(
      loop_map(2, 1), {{fwd(0, 0), kBubble, kBubble, bwd(0, 0)}, {kBubble, fwd(1, 0), bwd(1, 0)}}));
  CHECK(steps_text(placed.ranks[0]) == "FWD(s0,m0) FWD_SEND(s0,m0) - - BWD_RECV(s0,m0) BWD(s0,m0)");
  CHECK(steps_text(placed.ranks[1]) == "- FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)");
}

TEST_CASE("even ranks transfer before odd ones: an odd rank receives first, an even one sends") {
  const Schedule placed =
      add_p2p(columns_of(loop_map(4, 1), {{fwd(0, 3)}, {fwd(1, 2)}, {fwd(2, 1)}, {fwd(3, 0)}}));
  CHECK(steps_text(placed.ranks[0]) == "FWD(s0,m3) FWD_SEND(s0,m3)");
  CHECK(steps_text(placed.ranks[1]) == "FWD(s1,m2) FWD_RECV(s1,m3) FWD_SEND(s1,m2)");
  CHECK(steps_text(placed.ranks[2]) == "FWD(s2,m1) FWD_SEND(s2,m1) FWD_RECV(s2,m2)");
  CHECK(steps_text(placed.ranks[3]) == "FWD(s3,m0) FWD_RECV(s3,m1)");
}

TEST_CASE("an overlap is two columns wide and stands in the first") {
  // Columns      0    1    2       3       4    5
  //   rank 0    F0   F1    -      B0       -   B1
  //   rank 1     -   F0   [B0  |  F1]     B1
  const Schedule placed = add_p2p(columns_of(
      loop_map(2, 1), {{fwd(0, 0), fwd(0, 1), kBubble, bwd(0, 0), kBubble, bwd(0, 1)},
                       {kBubble, fwd(1, 0), overlap_b_f(bwd(1, 0), fwd(1, 1)), bwd(1, 1)}}));
  CHECK(steps_text(placed.ranks[0]) ==
        "FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) FWD_SEND(s0,m1) - BWD_RECV(s0,m0) BWD(s0,m0) - "
        "BWD_RECV(s0,m1) BWD(s0,m1)");
  CHECK(steps_text(placed.ranks[1]) ==
        "- FWD_RECV(s1,m0) FWD(s1,m0) FWD_RECV(s1,m1) OVERLAP_B_F[BWD(s1,m0)|FWD(s1,m1)] "
        "BWD_SEND(s1,m0) BWD(s1,m1) BWD_SEND(s1,m1)");
}

TEST_CASE("the receive that an overlap's second sub-step triggers comes one column later") {
  const Step forward_first = make_overlap(StepType::overlap_f_b, fwd(0, 1), bwd(0, 0));
  const StepList busy = {kBubble, kBubble, kBubble};
  const Schedule early = add_p2p(columns_of(loop_map(2, 1), {{forward_first}, busy}));
  CHECK(steps_text(early.ranks[1]) == "- FWD_RECV(s1,m1) - -");
  const Schedule late =
      add_p2p(columns_of(loop_map(2, 1), {{overlap_b_f(bwd(0, 0), fwd(0, 1))}, busy}));
  CHECK(steps_text(late.ranks[1]) == "- - FWD_RECV(s1,m1) -");
}

TEST_CASE("neighbours on one rank exchange nothing; the input gradient is sent, dw sends nothing") {
  // Stages 1 and 2 share rank 1.
  const Schedule placed = add_p2p(columns_of(
      v_map(2, 2), {{},
                    {fwd(1, 0), fwd(2, 0), make_step(StepType::bwd_input, 2, 0),
                     make_step(StepType::bwd_weight, 2, 0), make_step(StepType::bwd_input, 1, 0),
                     make_step(StepType::bwd_weight, 1, 0)}}));
  CHECK(steps_text(placed.ranks[1]) ==
        "FWD(s1,m0) FWD(s2,m0) FWD_SEND(s2,m0) BWD_INPUT(s2,m0) BWD_WEIGHT(s2,m0) "
        "BWD_INPUT(s1,m0) BWD_SEND(s1,m0) BWD_WEIGHT(s1,m0)");
  CHECK(steps_text(placed.ranks[0]) == "FWD_RECV(s3,m0) BWD_RECV(s0,m0)");
}

TEST_CASE("nothing is sent from one copy of the model to the other") {
  // Stages 0, 1 and their replicas 2, 3: rank 0 has the first stage of one and the last of the
  // other.
  const Schedule placed = add_p2p(columns_of(
      mirrored_map(2), {{fwd(3, 2), bwd(3, 2), bwd(0, 0)}, {fwd(1, 0), bwd(2, 2), bwd(1, 0)}}));
  CHECK(steps_text(placed.ranks[0]) ==
        "FWD(s3,m2) BWD(s3,m2) BWD_SEND(s3,m2) BWD(s0,m0) BWD_RECV(s0,m0)");
  CHECK(steps_text(placed.ranks[1]) ==
        "FWD(s1,m0) BWD(s2,m2) BWD_RECV(s2,m2) BWD(s1,m0) BWD_SEND(s1,m0)");
}

TEST_CASE("a schedule that has its transfers already is refused") {
  CHECK_THROWS_AS(add_p2p(columns_of(loop_map(1, 1), {{make_step(StepType::fwd_send, 0, 0)}})),
                  Error);
}

}  // namespace
}  // namespace steptwin
