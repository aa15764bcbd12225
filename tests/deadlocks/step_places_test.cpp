#include "deadlocks/step_places.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"

namespace steptwin::deadlocks {
namespace {

TEST_CASE("a kernel's slot: of its step, or of what the step is in") {
  const Schedule schedule = read_steps(
      "rank0: FWD(s0,m0) - OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]{FWD_SEND(s0,m1)} "
      "BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m1)] BWD(s0,m1)\n"
      "rank1: FWD(s1,m0)",
      "test.steps");
  const StepPlaces places(schedule.ranks[0]);
  Program program;
  const auto slot_of = [&](StepType type, std::int32_t micro) {
    Kernel kernel;
    kernel.step = type;
    kernel.stage = 0;
    kernel.micro = micro;
    program.kernels.clear();
    program.kernels.push_back(kernel);
    return places.slot_of(program, 0);
  };
  CHECK(slot_of(StepType::fwd, 0) == 0);
  CHECK(slot_of(StepType::bwd, 0) == 2);
  CHECK(slot_of(StepType::fwd, 1) == 2);
  CHECK(slot_of(StepType::bwd, 1) == 4);
  CHECK(slot_of(StepType::bwd, 2) == -1);
  CHECK(places.slot_of(program, -1) == -1);

  const auto slot_of_part = [&](StepType type, std::int32_t micro) {
    program.p2p_parts.clear();
    program.p2p_parts.push_back({true, type, 1, 0, micro, 0, 0});
    Kernel batch;
    batch.step = StepType::batch_send_recv;
    batch.part_count = 1;
    program.kernels.clear();
    program.kernels.push_back(batch);
    return places.slot_of(program, 0);
  };
  CHECK(slot_of_part(StepType::fwd_send, 1) == 2);
  CHECK(slot_of_part(StepType::fwd_send, 0) == 3);
  CHECK(slot_of_part(StepType::bwd_recv, 1) == 3);
}

}  // namespace
}  // namespace steptwin::deadlocks
