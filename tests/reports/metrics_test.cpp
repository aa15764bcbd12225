#include "reports/metrics.h"

#include <doctest/doctest.h>
#include <limits>

#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

TEST_CASE("bubble of GPipe, 2 ranks, 3 micro-batches, by its three conventions") {
  // Per rank 3 * 30 = 90 of compute; the step is (3 + 2 - 1) * 30 = 120.
  //
  //   rank 0  F0F1F2......B0B0B1B1B2B2     gaps [30,60)
  //   rank 1  ..F0F1F2B0B0B1B1B2B2...      gaps [0,10) [100,120)
  const Metrics metrics = compute_metrics(gpipe_trace(2, 3));
  CHECK(metrics.window == Interval{0, 120});
  CHECK(metrics.step_time_ns == 120);
  CHECK(metrics.kernels == 12);
  CHECK(metrics.micro_batches == 3);
  CHECK(metrics.bubble_ratio == 0.25);  // (p-1)/(m+p-1)
  CHECK(metrics.bubble_ratio_max == 0.25);
  CHECK(metrics.bubble_ratio_span == 0.25);       // rank 0 spans all 120
  CHECK(metrics.bubble_over_ideal == 30.0 / 90);  // (p-1)/m
  CHECK(metrics.stage_balance == 1.0);
  CHECK(metrics.ranks[0].compute_span_ns == 120);
  CHECK(metrics.ranks[1].compute_span_ns == 90);
  CHECK(metrics.ranks[0].times.compute_ns == 90);
  CHECK(metrics.ranks[0].times.idle_ns == 30);
  CHECK(broken_identity(metrics) == "");
}

TEST_CASE("a step whose sums over ranks would not fit is an error, not a wrong figure") {
  const auto trace_until = [](TimeNs end) {
    TraceMaker maker(2);
    return maker.compute(0, StepType::fwd, 0, 0, 0, 0, end).trace();
  };
  constexpr TimeNs kHalf = std::numeric_limits<TimeNs>::max() / 2;
  CHECK(compute_metrics(trace_until(kHalf)).bubble_ratio == 0.5);
  CHECK_THROWS_WITH(compute_metrics(trace_until(kHalf + 1)),
                    "error: the step takes 4.612e+09 s: its figures add up 2 times that, which is "
                    "more than 292 years; expected shorter durations");
}

TEST_CASE("gaps fall into warm-up before the first backward and drain after the last forward") {
  const Metrics metrics = compute_metrics(gpipe_trace(2, 3));
  CHECK(metrics.ranks[0].phases.warmup_ns == 30);
  CHECK(metrics.ranks[0].phases.steady_ns == 0);
  CHECK(metrics.ranks[0].phases.drain_ns == 0);
  CHECK(metrics.ranks[1].phases.warmup_ns == 10);
  CHECK(metrics.ranks[1].phases.drain_ns == 20);
}

TEST_CASE("a gap between the first backward and the last forward is steady") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .compute(0, StepType::bwd, 0, 0, 0, 15, 25)
      .compute(0, StepType::fwd, 0, 1, 0, 32, 40)
      .compute(0, StepType::bwd, 0, 1, 0, 44, 50);
  const RankMetrics rank = compute_metrics(maker.trace()).ranks[0];
  CHECK(rank.phases.warmup_ns == 5);
  CHECK(rank.phases.steady_ns == 7);
  CHECK(rank.phases.drain_ns == 4);
}

TEST_CASE("a latency is first forward to last backward of a micro-batch at stage 0") {
  // Micro-batch m: forward from 10 m, backward ends at 80 + 20 m: 80, 90, 100.
  const Metrics metrics = compute_metrics(gpipe_trace(2, 3));
  CHECK(metrics.latency_p50_ns == 90);
  CHECK(metrics.latency_p99_ns == 100);
}

TEST_CASE("a latency of a second copy of the model is one of its own first stage") {
  // Stages 0, 1 of one copy with micro-batch 0, stages 2, 3 of the other with micro-batch 1.
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .compute(1, StepType::fwd, 1, 0, 0, 10, 20)
      .compute(1, StepType::bwd, 1, 0, 0, 20, 30)
      .compute(0, StepType::bwd, 0, 0, 0, 30, 40)
      .compute(1, StepType::fwd, 2, 1, 0, 0, 10)
      .compute(0, StepType::fwd, 3, 1, 0, 10, 20)
      .compute(0, StepType::bwd, 3, 1, 0, 20, 30)
      .compute(1, StepType::bwd, 2, 1, 0, 30, 60);
  const Metrics metrics = compute_metrics(maker.trace());
  CHECK(metrics.latency_p50_ns == 40);
  CHECK(metrics.latency_p99_ns == 60);
}

TEST_CASE("activations live from forward to the backward that consumes them") {
  CHECK(compute_metrics(gpipe_trace(2, 3)).ranks[1].in_flight_max == 3);
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .compute(0, StepType::bwd_input, 0, 0, 0, 10, 20)
      .compute(0, StepType::fwd, 0, 1, 0, 20, 30)
      .compute(0, StepType::bwd_input, 0, 1, 0, 30, 40)
      .compute(0, StepType::bwd_weight, 0, 0, 0, 40, 50)
      .compute(0, StepType::bwd_weight, 0, 1, 0, 50, 60);
  const RankMetrics rank = compute_metrics(maker.trace()).ranks[0];
  CHECK(rank.in_flight_max == 2);
  CHECK(rank.in_flight_input_max == 1);
}

TEST_CASE("the window divides into compute, exposed communication, exposed copies and idle") {
  // compute  [0,10)            [30,40)
  // comm        [5,25): waits to 15, transfers 15..25
  // copy                 [20,28)
  // So exposed is [10,25): 5 of waiting, 10 of transfer; the copy shows for 3; idle [28,30).
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::attention)
      .collective(0, Part::dispatch, StepType::fwd, 0, 0, {2, 5, 15, 25})
      .compute(0, StepType::fwd, 0, 0, 0, 30, 40, Part::experts)
      .copy(0, 20, 28);
  const Metrics metrics = compute_metrics(maker.trace());
  const OccupancyTimes& times = metrics.ranks[0].times;
  CHECK(times.compute_ns == 20);
  CHECK(times.communication_ns == 20);
  CHECK(times.overlapped_ns == 5);
  CHECK(times.exposed_comm_ns == 15);
  CHECK(times.exposed_wait_ns == 5);
  CHECK(times.exposed_transfer_ns == 10);
  CHECK(times.exposed_collective_ns == 15);
  CHECK(times.exposed_copy_ns == 3);
  CHECK(times.idle_ns == 2);
  CHECK(metrics.ranks[0].overlap_ratio == 0.25);
  CHECK(metrics.overlap_ratio == 0.25);
  CHECK(metrics.ranks[0].collective_wait_ns == 10);
  CHECK(metrics.ranks[0].p2p_wait_ns == 0);
  CHECK(broken_identity(metrics) == "");
}

// A kernel that arrives at 0 and ends at 20; its parts move over [4,8) and [14,20).
//
//   comm   ....====......======
//          0   4   8     14    20
TEST_CASE("between the transfers of its parts a batch waits") {
  TraceMaker maker(2);
  maker.batch(0, {1, 1}, 0, {{StepType::fwd_send, 0, 0, 4, 8}, {StepType::bwd_recv, 0, 1, 14, 20}});
  const Metrics metrics = compute_metrics(maker.trace());
  CHECK(metrics.ranks[0].times.exposed_transfer_ns == 10);
  CHECK(metrics.ranks[0].times.exposed_wait_ns == 10);
  CHECK(metrics.ranks[0].p2p_wait_ns == 10);
}

TEST_CASE("the job's overlap ratio sums over ranks, it does not average percentages") {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 100)
      .p2p(0, StepType::fwd_send, 0, 0, {1}, {0, 0, 0, 90})      // 90 of 90 under compute
      .p2p(1, StepType::fwd_recv, 1, 0, {0}, {0, 90, 90, 100});  // 0 of 10
  CHECK(compute_metrics(maker.trace()).overlap_ratio == 0.9);
}

TEST_CASE("dilation compares compute under communication with its like alone") {
  // Alone 10, overlapped 12 and 14: 26 / 20. The half-overlapped one counts in neither sort, and
  // experts have no like alone.
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10, Part::attention)
      .compute(0, StepType::fwd, 0, 1, 0, 10, 22, Part::attention)
      .compute(0, StepType::fwd, 0, 2, 0, 22, 36, Part::attention)
      .compute(0, StepType::fwd, 0, 2, 0, 36, 76, Part::experts)
      .compute(0, StepType::fwd, 0, 3, 0, 76, 86, Part::attention)
      .collective(0, Part::dispatch, StepType::fwd, 0, 9, {10, 10, 10, 81});
  const Metrics metrics = compute_metrics(maker.trace());
  CHECK(metrics.ranks[0].compute_dilation == 1.3);
  CHECK(metrics.compute_dilation == 1.3);
}

TEST_CASE("rendezvous are counted per hook and role, over both threads") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 10)
      .rendezvous(0, 0, Hook::a, Role::comm, 0, 3)
      .rendezvous(0, 0, Hook::b, Role::compute, 5, 6)
      .rendezvous(0, 1, Hook::a, Role::comm, 2, 7);
  const Metrics metrics = compute_metrics(maker.trace());
  REQUIRE(metrics.ranks[0].rendezvous);
  CHECK(metrics.ranks[0].rendezvous->total_ns == 9);
  CHECK(metrics.ranks[0].rendezvous->of(Hook::a, Role::comm) == 8);
  CHECK(metrics.ranks[0].rendezvous->of(Hook::b, Role::compute) == 1);
  CHECK(metrics.ranks[0].rendezvous->of(Hook::a, Role::compute) == 0);
}

TEST_CASE("figures without a base are not there") {
  const Metrics nothing = compute_metrics(TraceMaker(2).trace());
  CHECK(nothing.step_time_ns == 0);
  CHECK_FALSE(nothing.bubble_ratio);
  CHECK_FALSE(nothing.bubble_ratio_span);
  CHECK_FALSE(nothing.bubble_over_ideal);
  CHECK_FALSE(nothing.overlap_ratio);
  CHECK_FALSE(nothing.compute_dilation);
  CHECK_FALSE(nothing.stage_balance);
  CHECK_FALSE(nothing.latency_p50_ns);
  CHECK_FALSE(nothing.ranks[0].rendezvous);
  const Metrics no_communication = compute_metrics(gpipe_trace(2, 3));
  CHECK_FALSE(no_communication.overlap_ratio);
  CHECK_FALSE(no_communication.ranks[0].overlap_ratio);
}

TEST_CASE("transfers share a stream where it has other peers, or goes both ways") {
  const auto share = [](StepType step, std::int32_t peer) {
    TraceMaker maker(3);
    maker.p2p(1, StepType::fwd_send, 1, 0, {2}, {0, 0, 0, 5})
        .p2p(1, step, 1, 1, {peer}, {5, 5, 5, 9})
        .p2p(2, StepType::fwd_recv, 2, 0, {1}, {0, 0, 0, 5});
    return compute_metrics(maker.trace()).transfers_share_streams;
  };
  CHECK_FALSE(share(StepType::fwd_send, 2));
  CHECK_FALSE(share(StepType::bwd_send, 2));
  CHECK(share(StepType::bwd_recv, 2));
  CHECK(share(StepType::bwd_send, 0));
}

TEST_CASE("a broken identity is named with its rank") {
  Metrics metrics = compute_metrics(gpipe_trace(2, 3));
  metrics.ranks[1].gap_by_cause.of(GapCause::host) += 1;
  CHECK(broken_identity(metrics) ==
        "rank 1: the causes of gaps add up to 31 ns, the gaps to 30 ns");
  metrics.ranks[0].times.idle_ns += 2;
  CHECK(broken_identity(metrics).starts_with("rank 0: compute, exposed"));
}

}  // namespace
}  // namespace steptwin::reports
