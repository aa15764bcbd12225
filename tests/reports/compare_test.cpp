#include "reports/compare.h"

#include <doctest/doctest.h>

#include "tests/reports/compared_traces.h"

namespace steptwin::reports {
namespace {

// Rank 0 computes 40 of 40 for 39 of 39, rank 1 20 of 40 for 12 of 39. All of the receive is under
// compute, for half of it.
TEST_CASE("step time, bubbles and overlaps: of the prediction against the measurement") {
  const Comparison comparison = compare(predicted_trace(), measured_trace(), Join::kernel);
  CHECK(comparison.matched == 5);
  CHECK(comparison.only_predicted.empty());
  CHECK(comparison.only_measured.empty());
  CHECK(comparison.predicted_step_ns == 40'000'000);
  CHECK(comparison.measured_step_ns == 39'000'000);
  CHECK(comparison.step_time_error == 1.0 / 39);
  CHECK(comparison.bubble.predicted == 0.25);
  CHECK(comparison.bubble.measured == doctest::Approx(27.0 / 78));
  REQUIRE(comparison.ranks.size() == 2);
  CHECK(comparison.ranks[0].bubble.difference() == 0.0);
  CHECK(comparison.ranks[1].bubble.difference().value() == doctest::Approx(0.5 - 27.0 / 39));
  CHECK_FALSE(comparison.ranks[0].overlap.difference());
  CHECK(comparison.overlap.predicted == 1.0);
  CHECK(comparison.overlap.measured == 0.5);
}

// Forwards of rank 0: 10 for 11 and 10 for 8; of rank 1 20 for 12. Median of -1/11, 2/8 and 8/12.
TEST_CASE("durations by part and direction: sums, median, and what 90 % do not exceed") {
  const Comparison comparison = compare(predicted_trace(), measured_trace(), Join::kernel);
  REQUIRE(comparison.durations.size() == 3);
  const DurationErrors& forward = comparison.durations[0];
  CHECK(forward.part == Part::chunk);
  CHECK(forward.direction == Direction::forward);
  CHECK(forward.count == 3);
  CHECK(forward.predicted_ns == 40'000'000);
  CHECK(forward.measured_ns == 31'000'000);
  CHECK(forward.median == 2.0 / 8);
  CHECK(forward.p90 == 8.0 / 12);
  const DurationErrors& backward = comparison.durations[1];
  CHECK(backward.direction == Direction::backward);
  CHECK(backward.median == 0.0);
  CHECK(backward.p90 == 0.0);
  const DurationErrors& transfer = comparison.durations[2];
  CHECK(transfer.part == Part::p2p);
  CHECK(transfer.predicted_ns == 1'000'000);
  CHECK(transfer.measured_ns == 4'000'000);
  CHECK(transfer.median == -0.75);
}

TEST_CASE("what was measured at 0 has no relative error, and is counted") {
  TraceMaker zero(1);
  zero.compute(0, StepType::fwd, 0, 0, 0, 5, 5);
  TraceMaker one(1);
  one.compute(0, StepType::fwd, 0, 0, 0, 5, 6);
  const Comparison comparison = compare(one.trace(), zero.trace(), Join::kernel);
  CHECK(comparison.durations[0].measured_at_zero == 1);
  CHECK_FALSE(comparison.durations[0].median);
  CHECK_FALSE(comparison.step_time_error);
}

TEST_CASE("of a kernel of several parts each counts") {
  const auto batch = [](TimeNs second_end) {
    TraceMaker maker(3);
    maker.batch(0, {1, 2}, 0,
                {{StepType::fwd_send, 0, 0, 0, 10}, {StepType::bwd_recv, 0, 0, 5, second_end}});
    return maker.trace();
  };
  const Comparison comparison = compare(batch(25), batch(15), Join::kernel);
  REQUIRE(comparison.durations.size() == 1);
  CHECK(comparison.durations[0].count == 2);
  CHECK(comparison.durations[0].predicted_ns == 30);
  CHECK(comparison.durations[0].measured_ns == 20);
  CHECK(comparison.durations[0].median == 0.0);
  CHECK(comparison.durations[0].p90 == 1.0);
}

// From the first start of each: 0 10 20 | 15 10 for 0 11 19 | 10 12.
TEST_CASE("starts: after the first of each trace") {
  const StartErrors starts = compare(predicted_trace(), measured_trace(), Join::kernel).starts;
  CHECK(starts.median_ns == 1'000'000);
  CHECK(starts.p90_ns == 5'000'000);
  CHECK(starts.worst_ns == 5'000'000);
  CHECK(starts.worst == "rank 1 FWD_RECV(s1,m0)");
  CHECK_FALSE(compare(Trace{}, Trace{}, Join::kernel).starts.median_ns);
}

Trace started_at(const std::vector<TimeNs>& starts) {
  TraceMaker maker(1);
  std::int32_t micro = 0;
  for (const TimeNs start : starts) {
    maker.compute(0, StepType::fwd, 0, micro++, 0, start, start + 1);
  }
  return maker.trace();
}

TEST_CASE("order: pairs that start the other way round; at one instant is neither") {
  const auto inversions = [](const std::vector<TimeNs>& left, const std::vector<TimeNs>& right) {
    const Comparison comparison = compare(started_at(left), started_at(right), Join::kernel);
    REQUIRE(comparison.orders.size() == 1);
    CHECK(comparison.orders[0].rank == 0);
    CHECK(comparison.orders[0].stream == "compute");
    CHECK(comparison.orders[0].pairs ==
          static_cast<std::int64_t>(left.size() * (left.size() - 1) / 2));
    return comparison.orders[0].inversions;
  };
  CHECK(inversions({0, 1, 2, 3}, {0, 1, 2, 3}) == 0);
  CHECK(inversions({0, 1, 2, 3}, {3, 1, 2, 0}) == 5);
  CHECK(inversions({0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}) == 10);
  CHECK(inversions({0, 0, 2}, {5, 1, 3}) == 1);
  CHECK(inversions({0, 1, 2}, {1, 1, 0}) == 2);
  CHECK(compare(started_at({0}), started_at({1}), Join::kernel).orders.empty());
}

}  // namespace
}  // namespace steptwin::reports
