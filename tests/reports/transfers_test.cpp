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

TEST_CASE("in batches the send is the first one ready after the producer") {
  // Rank 1's batches: the one at 5 was ready before FWD(s0,m1) ended at 20, so m1 comes with the
  // one at 20.
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 5)
      .p2p(0, StepType::batch_send_recv, -1, -1, {1, 1}, {0, 5, 6, 8})
      .compute(0, StepType::fwd, 0, 1, 0, 5, 20)
      .p2p(0, StepType::batch_send_recv, -1, -1, {1, 1}, {0, 20, 22, 25})
      .p2p(1, StepType::batch_send_recv, -1, -1, {0, 0}, {0, 6, 6, 8})
      .p2p(1, StepType::batch_send_recv, -1, -1, {0, 0}, {0, 22, 22, 25})
      .compute(1, StepType::fwd, 1, 0, 0, 8, 22)
      .compute(1, StepType::fwd, 1, 1, 0, 25, 30);
  const TraceIndex index(maker.trace());
  const Transfers transfers(index);
  const auto first = transfers.into(*index.find(StepType::fwd, 1, 0, 1));
  const auto second = transfers.into(*index.find(StepType::fwd, 1, 1, 1));
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->send == 1);
  CHECK(first->receive == 4);
  CHECK(second->send == 3);
  CHECK(second->receive == 5);
  CHECK(second->producer == 2);
}

}  // namespace
}  // namespace steptwin::reports
