#include "model/passes/compute_only.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

// Two ranks, one stage each, two micro-batches.
Schedule with_lists(std::vector<StepList> lists) {
  return Schedule{"", loop_map(2, 1), 2, std::move(lists)};
}

TEST_CASE("compute steps, overlaps and bubbles make a compute order") {
  const Step split = make_step(StepType::bwd_input, 1, 1);
  const Step weight = make_step(StepType::bwd_weight, 1, 1);
  CHECK_NOTHROW(require_compute_only(
      with_lists({{fwd(0, 0), kBubble, bwd(0, 0)},
                  {fwd(1, 0), overlap_b_f(bwd(1, 0), fwd(1, 1)), split, weight}})));
}

TEST_CASE("what does not belong in a compute order is named") {
  CHECK_THROWS_WITH_AS(
      require_compute_only(with_lists({{fwd(0, 0), make_step(StepType::fwd_send, 0, 0)}, {}})),
      "error: rank 0 has a FWD_SEND step in its compute order; expected FWD, BWD, BWD_INPUT, "
      "BWD_WEIGHT and overlaps only",
      Error);
  CHECK_THROWS_WITH_AS(require_compute_only(with_lists({{}, {bwd(2, 0)}})),
                       "error: rank 1 computes BWD(s2,m0); expected a stage from 0 to 1", Error);
  CHECK_THROWS_WITH_AS(require_compute_only(with_lists({{fwd(0, 2)}, {}})),
                       "error: rank 0 computes FWD(s0,m2); expected a micro-batch from 0 to 1",
                       Error);
  CHECK_THROWS_WITH_AS(require_compute_only(with_lists({{overlap_b_f(bwd(0, 0), fwd(1, 1))}, {}})),
                       "error: rank 0 computes FWD(s1,m1); expected rank 1, which holds stage 1",
                       Error);
}

}  // namespace
}  // namespace steptwin
