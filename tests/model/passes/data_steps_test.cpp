#include "model/passes/data_steps.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

Schedule one_rank(StepList list) {
  return Schedule{"", loop_map(1, 3), 4, {std::move(list)}};
}

TEST_CASE("a load stands directly before each forward, or before the overlap that holds it") {
  const Schedule loaded = add_data_loads(one_rank({make_step(StepType::fwd_recv, 1, 0), fwd(1, 0),
                                                   kBubble, overlap_b_f(bwd(1, 0), fwd(1, 1))}));
  CHECK(steps_text(loaded.ranks[0]) ==
        "FWD_RECV(s1,m0) DATA_LOAD(s1,m0) FWD(s1,m0) - DATA_LOAD(s1,m1) "
        "OVERLAP_B_F[BWD(s1,m0)|FWD(s1,m1)]");
}

TEST_CASE("inputs travel directly before the activations, not with gradients") {
  const Schedule shipped = add_data_transfers(one_rank(
      {make_step(StepType::fwd_recv, 1, 0), fwd(1, 0), make_step(StepType::fwd_send, 1, 0),
       make_step(StepType::bwd_recv, 1, 0), bwd(1, 0), make_step(StepType::bwd_send, 1, 0)}));
  CHECK(steps_text(shipped.ranks[0]) ==
        "DATA_RECV(s1,m0) FWD_RECV(s1,m0) FWD(s1,m0) DATA_SEND(s1,m0) FWD_SEND(s1,m0) "
        "BWD_RECV(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)");
}

}  // namespace
}  // namespace steptwin
