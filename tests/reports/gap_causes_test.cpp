#include "reports/gap_causes.h"

#include <doctest/doctest.h>

#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

// dependency, transfer, order, host, end
using Causes = std::array<TimeNs, 5>;

Causes causes_of(const Trace& trace, std::int32_t rank) {
  const TraceIndex index(trace);
  return GapCauses(index).of_rank(rank).by_cause_ns;
}

TEST_CASE("a forward's gap: producer computes, receive queues, bytes move, compute queues") {
  //   rank 0  compute [0,40) FWD(s0,m0)
  //           comm                 send: enqueued 42, ready 45, moves [50,60)
  //   rank 1  comm                 recv: enqueued 0,  ready 50, moves [50,60)
  //           compute                                     FWD(s1,m0) enqueued 3, [63,70)
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 40)
      .p2p(0, StepType::fwd_send, 0, 0, {1}, {42, 45, 50, 60})
      .p2p(1, StepType::fwd_recv, 1, 0, {0}, {0, 50, 50, 60})
      .compute(1, StepType::fwd, 1, 0, 3, 63, 70);
  // [0,40) dependency, [40,42) the send is not enqueued, [42,50) order, [50,60) transfer,
  // [60,63) order. Rank 0 is done at 40.
  CHECK(causes_of(maker.trace(), 1) == Causes{40, 10, 11, 2, 0});
  CHECK(causes_of(maker.trace(), 0) == Causes{0, 0, 0, 0, 30});
}

TEST_CASE("a backward's gap, with the backward split on the next stage") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .p2p(0, StepType::bwd_recv, 0, 0, {1}, {35, 36, 36, 41})
      .compute(0, StepType::bwd, 0, 0, 44, 44, 50)
      .compute(1, StepType::bwd_input, 1, 0, 0, 20, 30)
      .p2p(1, StepType::bwd_send, 1, 0, {0}, {30, 31, 36, 41});
  // [10,30) dependency, [30,35) the receive is not enqueued, [35,36) order, [36,41) transfer,
  // [41,44) the backward is not enqueued.
  CHECK(causes_of(maker.trace(), 0) == Causes{20, 5, 1, 8, 0});
}

TEST_CASE("a rendezvous that holds the launching thread is order, not host") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .compute(0, StepType::fwd, 0, 1, 30, 32, 40)
      .rendezvous(0, 0, Hook::a, Role::comm, 5, 18)
      .rendezvous(0, 1, Hook::a, Role::compute, 16, 21);
  // Not enqueued for [10,30), of which the rendezvous holds main for [10,18).
  CHECK(causes_of(maker.trace(), 0) == Causes{0, 0, 8 + 2, 12, 0});
  const TraceIndex index(maker.trace());
  CHECK(GapCauses(index).of_rank(0).in_rendezvous_ns == 8);
  CHECK(GapCauses(index).of_rank(0).behind_p2p_ns == 0);
}

// Forward on main, backward on the forked thread:
//
//   compute   F [0,10)                                 F [82,90)
//   main      rendezvous A [4,44) rendezvous B [44,62) launch F [62,82)
//   backward  launch [0,20) record, wait [20,22) launch [22,40) A [40,44) host_wait [44,50)
//             launch [50,62)
TEST_CASE("a thread that waits at a hook for the other's launches waits for the host") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .compute(0, StepType::fwd, 0, 1, 82, 82, 90)
      .rendezvous(0, 0, Hook::a, Role::comm, 4, 44)
      .rendezvous(0, 0, Hook::b, Role::compute, 44, 62)
      .host(0, 0, CommandType::launch, 62, 82)
      .host(0, 1, CommandType::launch, 0, 20)
      .host(0, 1, CommandType::record, 20, 21)
      .host(0, 1, CommandType::wait, 21, 22)
      .host(0, 1, CommandType::launch, 22, 40)
      .rendezvous(0, 1, Hook::a, Role::compute, 40, 44)
      .host(0, 1, CommandType::host_wait, 44, 50)
      .host(0, 1, CommandType::launch, 50, 62);
  // Of [10,82): [10,40) the backward launches, [40,44) both are in the rendezvous, [44,50) the
  // backward waits for the device, [50,62) it launches, [62,82) main does.
  CHECK(causes_of(maker.trace(), 0) == Causes{0, 0, 4 + 6, 30 + 12 + 20, 0});
  const TraceIndex index(maker.trace());
  CHECK(GapCauses(index).of_rank(0).in_rendezvous_ns == 10);
}

// The thread that launches the backward is forked at 30; until then main is on its way there.
//
//   main        rendezvous with backward.1 [10,16)  launch [16,24)  fork [24,30)
//   backward.2                                                      rendezvous [30,41) launch
//   [41,46)
TEST_CASE("before a thread is forked its kernels wait for main") {
  TraceMaker maker(1);
  maker.trace().ranks[0].threads = {"main", "backward.1", "backward.2"};
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .compute(0, StepType::bwd, 0, 1, 46, 46, 50)
      .launched_by(2)
      .rendezvous(0, 0, Hook::a, Role::comm, 10, 16)
      .host(0, 0, CommandType::launch, 16, 24)
      .host(0, 0, CommandType::fork, 24, 30)
      .host(0, 0, CommandType::launch, 30, 36)
      .rendezvous(0, 0, Hook::a, Role::comm, 36, 41)
      .rendezvous(0, 1, Hook::a, Role::compute, 8, 16)
      .rendezvous(0, 2, Hook::a, Role::compute, 30, 41)
      .host(0, 2, CommandType::launch, 41, 46);
  // [10,16) held, [16,30) main works, [30,36) main works while backward.2 waits, [36,41) both are
  // in the rendezvous, [41,46) launch.
  CHECK(causes_of(maker.trace(), 0) == Causes{0, 0, 6 + 5, 14 + 6 + 5, 0});
}

TEST_CASE("of what a collective queues, the part behind a transfer on its stream is told") {
  //   compute  attention [0,10)                              experts [31,40)
  //   comm     recv of another: arrived 4, moves [12,17)  dispatch: enqueued 13, ready 22, [22,31)
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::attention)
      .p2p(0, StepType::fwd_recv, 0, 1, {1}, {0, 4, 12, 17})
      .collective(0, Part::dispatch, StepType::fwd, 0, 0, {13, 22, 22, 31})
      .compute(0, StepType::fwd, 0, 0, 14, 31, 40, Part::experts);
  // [10,13) host, [13,22) order, of which the receive occupies the stream for [13,17).
  CHECK(causes_of(maker.trace(), 0) == Causes{0, 9, 9, 3, 0});
  const TraceIndex index(maker.trace());
  CHECK(GapCauses(index).of_rank(0).behind_p2p_ns == 4);
}

TEST_CASE("a gap behind a collective: launch, queue, late peer, transfer") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::attention)
      .collective(0, Part::dispatch, StepType::fwd, 0, 0, {13, 15, 20, 28})
      .compute(0, StepType::fwd, 0, 0, 14, 31, 40, Part::experts);
  // [10,13) host, [13,15) order, [15,20) dependency, [20,28) transfer, [28,31) order
  CHECK(causes_of(maker.trace(), 0) == Causes{5, 8, 5, 3, 0});
}

TEST_CASE("several inputs come one after the other: counts, then tokens") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::attention)
      .collective(0, Part::counts, StepType::fwd, 0, 0, {2, 10, 10, 12})
      .collective(0, Part::dispatch, StepType::fwd, 0, 0, {15, 15, 15, 25})
      .compute(0, StepType::fwd, 0, 0, 16, 25, 30, Part::experts);
  // [10,12) transfer, [12,15) host (the counts are read back), [15,25) transfer
  CHECK(causes_of(maker.trace(), 0) == Causes{0, 12, 0, 3, 0});
}

TEST_CASE("a backward that begins with a collective waits for its receive first") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::attention)
      .p2p(0, StepType::bwd_recv, 0, 0, {1}, {0, 10, 30, 34})
      .collective(0, Part::combine, StepType::bwd, 0, 0, {0, 34, 34, 39})
      .compute(0, StepType::bwd, 0, 0, 0, 39, 50, Part::experts)
      .compute(1, StepType::bwd, 1, 0, 0, 20, 30, Part::attention)
      .p2p(1, StepType::bwd_send, 1, 0, {0}, {0, 30, 30, 34});
  CHECK(causes_of(maker.trace(), 0) == Causes{20, 4 + 5, 0, 0, 0});
  const TraceIndex index(maker.trace());
  CHECK(GapCauses(index).of_rank(0).in_collective_ns == 5);
}

TEST_CASE("only the chunk's first compute kernel waits for the receive") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .p2p(0, StepType::fwd_send, 0, 0, {1}, {0, 10, 10, 12})
      .p2p(1, StepType::fwd_recv, 1, 0, {0}, {0, 0, 10, 12})
      .compute(1, StepType::fwd, 1, 0, 0, 12, 20, Part::attention)
      .compute(1, StepType::fwd, 1, 0, 0, 25, 30, Part::mlp);
  CHECK(causes_of(maker.trace(), 1) == Causes{10, 2, 5, 0, 0});
}

TEST_CASE("a compute kernel without duration ends a gap as any other does") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::attention)
      .collective(0, Part::dispatch, StepType::fwd, 0, 0, {0, 10, 10, 15})
      .compute(0, StepType::fwd, 0, 0, 0, 15, 15, Part::experts)
      .collective(0, Part::combine, StepType::fwd, 0, 0, {0, 15, 18, 20})
      .compute(0, StepType::fwd, 0, 0, 0, 20, 30, Part::attention);
  CHECK(causes_of(maker.trace(), 0) == Causes{3, 5 + 2, 0, 0, 0});
}

TEST_CASE("of a batch, the times are those of the part") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .batch(0, {1, 1}, 10,
             {{StepType::bwd_recv, 0, 3, 12, 14}, {StepType::fwd_send, 0, 0, 13, 20}})
      .batch(1, {0, 0}, 12,
             {{StepType::bwd_send, 1, 3, 12, 14}, {StepType::fwd_recv, 1, 0, 13, 20}})
      .compute(1, StepType::fwd, 1, 0, 0, 21, 30);
  // [0,10) dependency, [10,13) order, [13,20) transfer, [20,21) order
  CHECK(causes_of(maker.trace(), 1) == Causes{10, 7, 4, 0, 0});
}

//   compute  |FWD 0-10|....................|BWD 40-50|
//   copy     ..........|copy 12-30|
TEST_CASE("a copy under way holds compute up, as far as anybody can tell") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .copy(0, 12, 30)
      .compute(0, StepType::bwd, 0, 0, 0, 40, 50);
  CHECK(causes_of(maker.trace(), 0) == Causes{0, 18, 12, 0, 0});
  const TraceIndex index(maker.trace());
  CHECK(GapCauses(index).of_rank(0).in_copy_ns == 18);
}

TEST_CASE("compute waits for the parameters of its own stage, not of another") {
  for (const std::int32_t stage : {0, 1}) {
    TraceMaker maker(1);
    maker.collective(0, Part::unshard, StepType::fsdp_unshard, stage, -1, {0, 0, 2, 30})
        .compute(0, StepType::fwd, 0, 0, 0, 40, 50);
    const Causes expected = stage == 0 ? Causes{0, 28, 12, 0, 0} : Causes{0, 0, 40, 0, 0};
    CHECK(causes_of(maker.trace(), 0) == expected);
    const TraceIndex index(maker.trace());
    CHECK(GapCauses(index).of_rank(0).in_gathering_ns == (stage == 0 ? 28 : 0));
  }
}

TEST_CASE("a rank without compute has nothing to do at all") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10);
  CHECK(causes_of(maker.trace(), 1) == Causes{0, 0, 0, 0, 10});
}

TEST_CASE("a value that a combine still computes is not there yet, on whichever rank") {
  // The forward of stage 0 ends in a combine over [10,18), which the send (ready at 18), the next
  // stage on the same rank and the backward wait for.
  TraceMaker far(2);
  far.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::experts)
      .collective(0, Part::combine, StepType::fwd, 0, 0, {0, 10, 12, 18})
      .p2p(0, StepType::fwd_send, 0, 0, {1}, {0, 18, 18, 20})
      .p2p(1, StepType::fwd_recv, 1, 0, {0}, {0, 0, 18, 20})
      .compute(1, StepType::fwd, 1, 0, 0, 20, 30);
  CHECK(causes_of(far.trace(), 1) == Causes{18, 2, 0, 0, 0});

  for (const StepType next : {StepType::fwd, StepType::bwd, StepType::bwd_input}) {
    TraceMaker near(1);
    near.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::experts)
        .collective(0, Part::combine, StepType::fwd, 0, 0, {0, 10, 12, 18})
        .compute(0, next, next == StepType::fwd ? 1 : 0, 0, 0, 19, 30, Part::attention);
    CHECK(causes_of(near.trace(), 0) == Causes{2, 6, 1, 0, 0});
  }
}

TEST_CASE("stages on one rank hand over without a transfer") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10).compute(0, StepType::fwd, 1, 0, 12, 15, 20);
  CHECK(causes_of(maker.trace(), 0) == Causes{0, 0, 3, 2, 0});
}

}  // namespace
}  // namespace steptwin::reports
