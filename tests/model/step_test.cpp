#include "model/step.h"

#include <doctest/doctest.h>
#include <string>

namespace steptwin {
namespace {

TEST_CASE("a step is a value: type, stage, micro-batch and sub-steps make it equal") {
  const Step forward = make_step(StepType::fwd, 2, 3);
  CHECK(forward == make_step(StepType::fwd, 2, 3));
  CHECK_FALSE(forward == make_step(StepType::fwd, 2, 4));
  CHECK_FALSE(forward == make_step(StepType::fwd, 1, 3));
  CHECK_FALSE(forward == make_step(StepType::bwd, 2, 3));
}

TEST_CASE("boundary transfers do not change which overlap it is, and the hash agrees") {
  const Step backward = make_step(StepType::bwd, 1, 0);
  const Step forward = make_step(StepType::fwd, 1, 3);
  const Step bare = make_overlap(StepType::overlap_b_f, backward, forward);
  const Step attached =
      make_overlap(StepType::overlap_b_f, backward, forward, {make_step(StepType::fwd_send, 1, 3)});
  CHECK(bare == attached);
  CHECK(hash_of(bare) == hash_of(attached));
  const Step other = make_overlap(StepType::overlap_b_f, backward, make_step(StepType::fwd, 1, 4));
  CHECK_FALSE(bare == other);
  CHECK(hash_of(bare) != hash_of(other));
}

TEST_CASE("every type has a name and the name finds the type") {
  for (int index = 0; index < kStepTypeCount; ++index) {
    const StepType type = static_cast<StepType>(index);
    CHECK(step_type_named(name_of(type)) == type);
  }
  CHECK_FALSE(step_type_named("FSDP_WAIT_REDUCE_GRAD").has_value());
}

TEST_CASE("a label names the type and the numbers it has") {
  CHECK(step_label(make_step(StepType::bwd_input, 12, 3)) == "BWD_INPUT(s12,m3)");
  CHECK(step_label(make_stage_step(StepType::fsdp_reshard, 0)) == "FSDP_RESHARD(s0)");
  CHECK(step_label(make_batch({make_step(StepType::fwd_send, 0, 0)})) == "BATCH_SEND_RECV");
}

//                stage 3 with    send  receive
// FWD_SEND       4               x
// FWD_RECV       2                     x
// BWD_SEND       2               x
// BWD_RECV       4                     x
TEST_CASE("activations go up, gradients down") {
  CHECK(other_stage(make_step(StepType::fwd_send, 3, 0)) == 4);
  CHECK(other_stage(make_step(StepType::fwd_recv, 3, 0)) == 2);
  CHECK(other_stage(make_step(StepType::bwd_send, 3, 0)) == 2);
  CHECK(other_stage(make_step(StepType::bwd_recv, 3, 0)) == 4);
  std::string sends;
  std::string receives;
  for (int index = 0; index < kStepTypeCount; ++index) {
    const auto type = static_cast<StepType>(index);
    if (is_send(type)) sends += std::string(name_of(type)) + " ";
    if (is_recv(type)) receives += std::string(name_of(type)) + " ";
  }
  CHECK(sends == "FWD_SEND BWD_SEND ");
  CHECK(receives == "FWD_RECV BWD_RECV ");
}

TEST_CASE("fields that do not suit the type are named") {
  CHECK(misshape_of(Step{StepType::fwd, 0, Step::kNone, nullptr}) == "FWD needs a micro-batch");
  CHECK(misshape_of(Step{StepType::fwd, Step::kNone, 0, nullptr}) == "FWD needs a stage");
  CHECK(misshape_of(Step{StepType::fsdp_unshard, 0, 1, nullptr}) ==
        "FSDP_UNSHARD has no micro-batch");
  CHECK(misshape_of(Step{StepType::overlap_b_f, Step::kNone, Step::kNone, nullptr}) ==
        "an overlap has two sub-steps");
}

}  // namespace
}  // namespace steptwin
