#include "model/passes/recv_placement.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"
#include "model/schedules/schedules.h"
#include "tests/schedule_checks.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

Step fwd_recv(std::int32_t stage, std::int32_t micro) {
  return make_step(StepType::fwd_recv, stage, micro);
}
Step bwd_recv(std::int32_t stage, std::int32_t micro) {
  return make_step(StepType::bwd_recv, stage, micro);
}

// The list of rank `rank`, late, of R ranks with two stages each.
std::string late_list(std::int32_t ranks, std::size_t rank, const StepList& list) {
  Schedule schedule{"", loop_map(ranks, 2), 4, {}};
  schedule.ranks.resize(static_cast<std::size_t>(ranks));
  schedule.ranks[rank] = list;
  return steps_text(place_recvs_late(schedule).ranks[rank]);
}

TEST_CASE("a receive moves directly before its consumer, over computation and sends") {
  CHECK(late_list(4, 0,
                  {fwd_recv(4, 0), fwd(0, 1), make_step(StepType::fwd_send, 0, 1), kBubble,
                   fwd(4, 0)}) == "FWD(s0,m1) FWD_SEND(s0,m1) - FWD_RECV(s4,m0) FWD(s4,m0)");
  CHECK(late_list(4, 1, {bwd_recv(1, 0), fwd(1, 1), make_step(StepType::bwd_input, 1, 0)}) ==
        "FWD(s1,m1) BWD_RECV(s1,m0) BWD_INPUT(s1,m0)");
}

TEST_CASE("receives of one overlap keep their order") {
  CHECK(late_list(4, 1,
                  {bwd_recv(1, 0), fwd(1, 2), fwd_recv(1, 1), bwd(1, 3),
                   overlap_b_f(bwd(1, 0), fwd(1, 1))}) ==
        "FWD(s1,m2) BWD(s1,m3) BWD_RECV(s1,m0) FWD_RECV(s1,m1) "
        "OVERLAP_B_F[BWD(s1,m0)|FWD(s1,m1)]");
}

TEST_CASE("receives from one sender do not overtake: two ranks of two chunks") {
  // Rank 1 sends both: the activation first, the gradient second, which is consumed first.
  CHECK(late_list(2, 0, {fwd_recv(2, 1), bwd_recv(0, 0), fwd(0, 2), bwd(0, 0), fwd(2, 1)}) ==
        "FWD(s0,m2) FWD_RECV(s2,m1) BWD_RECV(s0,m0) BWD(s0,m0) FWD(s2,m1)");
  // From different senders each goes to its own consumer.
  CHECK(late_list(4, 1, {fwd_recv(5, 1), bwd_recv(1, 0), fwd(1, 2), bwd(1, 0), fwd(5, 1)}) ==
        "FWD(s1,m2) BWD_RECV(s1,m0) BWD(s1,m0) FWD_RECV(s5,m1) FWD(s5,m1)");
}

TEST_CASE("raw inputs arrive with their activations") {
  CHECK(late_list(4, 1,
                  {make_step(StepType::data_recv, 1, 0), fwd_recv(1, 0), bwd(1, 3),
                   make_step(StepType::data_load, 1, 0), fwd(1, 0)}) ==
        "BWD(s1,m3) DATA_LOAD(s1,m0) DATA_RECV(s1,m0) FWD_RECV(s1,m0) FWD(s1,m0)");
}

TEST_CASE("what cannot move stays, and holds back what came before it from the same sender") {
  CHECK(late_list(4, 1, {fwd(1, 0), fwd_recv(1, 0), bwd_recv(1, 1), fwd(1, 2)}) ==
        "FWD(s1,m0) FWD_RECV(s1,m0) BWD_RECV(s1,m1) FWD(s1,m2)");
  const Step batch = make_batch({fwd_recv(1, 1), make_step(StepType::bwd_send, 1, 3)});
  CHECK(late_list(4, 1, {fwd_recv(1, 0), bwd(1, 3), batch, bwd(1, 2), fwd(1, 0), fwd(1, 1)}) ==
        "BWD(s1,m3) FWD_RECV(s1,m0) BATCH_SEND_RECV[FWD_RECV(s1,m1)|BWD_SEND(s1,m3)] "
        "BWD(s1,m2) FWD(s1,m0) FWD(s1,m1)");
}

TEST_CASE("late receives deadlock a single in-order queue: shown, not refused") {
  ScheduleRequest request;
  request.ranks = 4;
  request.chunks_per_rank = 2;
  request.micro_batches = 8;
  const Schedule early = build_schedule("interleaved_1f1b", request);
  CHECK(rendezvous_fault(early) == "");
  CHECK(rendezvous_fault(place_recvs_late(early)) != "");
}

}  // namespace
}  // namespace steptwin
