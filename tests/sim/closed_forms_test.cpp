#include <doctest/doctest.h>

#include "tests/scenarios.h"

namespace steptwin {
namespace {

// R = 4, M = 8, F = I = W = 1 ms a rank, 0.1 ms a hop.
Scenario four_ranks(const std::string& schedule, std::int32_t chunks_per_rank) {
  const double per_chunk = 1000.0 / chunks_per_rank;
  return stage_scenario(schedule, 4, chunks_per_rank, 8, per_chunk, per_chunk, per_chunk, 100);
}

TEST_CASE("a latency off the compute stream: 33.6, 34.6 and 29.9 ms") {
  CHECK(makespan_ns(trace_of(unqueued(four_ranks("gpipe", 1)))) == 33'600'000);
  CHECK(makespan_ns(trace_of(unqueued(four_ranks("1f1b", 1)))) == 34'600'000);
  CHECK(makespan_ns(trace_of(unqueued(four_ranks("interleaved_1f1b", 2)))) == 29'900'000);
}

TEST_CASE("transfers that queue on one stream: 36.4, 35.0 and 30.7 ms") {
  CHECK(makespan_ns(trace_of(four_ranks("gpipe", 1))) == 36'400'000);
  CHECK(makespan_ns(trace_of(four_ranks("1f1b", 1))) == 35'000'000);
  CHECK(makespan_ns(trace_of(four_ranks("interleaved_1f1b", 2))) == 30'700'000);
}

}  // namespace
}  // namespace steptwin
