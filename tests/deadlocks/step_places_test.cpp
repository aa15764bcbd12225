#include "deadlocks/step_places.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"
#include "tests/deadlocks/hanging.h"
#include "tests/sim/program_writer.h"

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

TEST_CASE("a deadlock's place: the slot that its cycle begins in") {
  const Given given(kBackwardFirst);
  const Trial trial = given.tried();
  REQUIRE(trial.ending == Ending::hangs);
  const Place place = place_of(given.schedule, trial.program, trial.deadlock);
  CHECK(place.rank == 0);
  CHECK(place.slot == 1);
  CHECK(place.step == "BWD_RECV(s0,m0)");
}

TEST_CASE("where an item is: a stream at its kernel, a thread at what it launched last") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  main.compute(0, 1);
  const std::int32_t event = main.new_event();
  main.compute(0, 1);
  main.host_wait(event);
  main.compute(0, 1);
  CHECK(kernel_at(program, {0, false, 0, 2, -1, ""}) == 2);
  CHECK(kernel_at(program, {0, true, 0, -1, 2, ""}) == 1);
  CHECK(kernel_at(program, {0, true, 0, -1, 0, ""}) == -1);
}

}  // namespace
}  // namespace steptwin::deadlocks
