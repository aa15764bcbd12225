#include "reports/transfers.h"

#include <doctest/doctest.h>

#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

TEST_CASE("a forward's input: receive, send on the peer, last kernel of the producer") {
  TraceMaker maker(4);  // two pipelines of two ranks: 0 and 2, 1 and 3
  for (const std::int32_t replica : {0, 1}) {
    maker.compute(replica, StepType::fwd, 0, 5, 0, 0, 10)
        .compute(replica, StepType::fwd, 0, 5, 0, 10, 20)
        .p2p(replica, StepType::fwd_send, 0, 5, {replica + 2}, {0, 20, 20, 30})
        .p2p(replica + 2, StepType::fwd_recv, 1, 5, {replica}, {0, 0, 20, 30})
        .compute(replica + 2, StepType::fwd, 1, 5, 0, 30, 40);
  }
  const TraceIndex index(maker.trace());
  const Transfers transfers(index);
  const auto into_replica_1 = transfers.into(*index.find(StepType::fwd, 1, 5, 3));
  REQUIRE(into_replica_1);
  CHECK(into_replica_1->receive == 8);
  CHECK(into_replica_1->send == 7);
  CHECK(into_replica_1->producer == 6);
  CHECK_FALSE(transfers.into(*index.find(StepType::fwd, 0, 5, 0)));
}

TEST_CASE("in batches both ends are the parts with the labels of the transfer") {
  // Rank 0 holds FWD(s0,m0) back for its second batch, where it moves over [22,25).
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 5)
      .batch(0, {1, 1}, 5, {{StepType::fwd_send, 0, 7, 6, 8}, {StepType::bwd_recv, 0, 6, 6, 9}})
      .batch(0, {1, 1}, 20,
             {{StepType::bwd_recv, 0, 7, 20, 21}, {StepType::fwd_send, 0, 0, 22, 25}})
      .batch(1, {0, 0}, 6, {{StepType::fwd_recv, 1, 7, 6, 8}, {StepType::bwd_send, 1, 6, 6, 9}})
      .p2p(1, StepType::fwd_recv, 1, 0, {0}, {0, 22, 22, 25})
      .compute(1, StepType::fwd, 1, 0, 0, 25, 30)
      .compute(0, StepType::bwd, 0, 6, 0, 9, 12);
  const TraceIndex index(maker.trace());
  const Transfers transfers(index);
  const auto forward = transfers.into(*index.find(StepType::fwd, 1, 0, 1));
  REQUIRE(forward);
  CHECK(forward->send == 2);
  CHECK((forward->sending == Interval{22, 25}));
  CHECK(forward->receive == 4);
  CHECK(forward->producer == 0);
  const auto backward = transfers.into(*index.find(StepType::bwd, 0, 6, 0));
  REQUIRE(backward);
  CHECK(backward->send == 3);
  CHECK(backward->receive == 1);
  CHECK((backward->receiving == Interval{6, 9}));
  CHECK(backward->producer == Transfer::kNoKernel);
}

}  // namespace
}  // namespace steptwin::reports
