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

// Stage costs in microseconds whose sums tell a wrong form from the right one.
struct StageTimes {
  double forward;
  double backward_input;
  double backward_weight;
};
const StageTimes kStageTimes[] = {{1000, 1000, 1000}, {1000, 1300, 600}, {700, 1100, 400}};

TimeNs time_of(const std::string& schedule, std::int32_t ranks, std::int32_t chunks,
               std::int32_t micros, const StageTimes& times) {
  return makespan_ns(
      trace_of(unqueued(stage_scenario(schedule, ranks, chunks, micros, times.forward,
                                       times.backward_input, times.backward_weight, 0))));
}

TEST_CASE("GPipe and 1F1B take M + R - 1 times a forward and a backward") {
  for (const StageTimes& times : kStageTimes) {
    const TimeNs slot =
        nanoseconds_from_us(times.forward + times.backward_input + times.backward_weight);
    for (std::int32_t ranks = 1; ranks <= 6; ++ranks) {
      for (std::int32_t micros = 1; micros <= 13; ++micros) {
        CAPTURE(ranks);
        CAPTURE(micros);
        CHECK(time_of("gpipe", ranks, 1, micros, times) == (micros + ranks - 1) * slot);
        CHECK(time_of("1f1b", ranks, 1, micros, times) == (micros + ranks - 1) * slot);
      }
    }
  }
}

// Chunk costs; a rank's share is V of them.
TEST_CASE("interleaved 1F1B divides the bubble by V where M is a multiple of R") {
  for (const StageTimes& times : kStageTimes) {
    const TimeNs slot =
        nanoseconds_from_us(times.forward + times.backward_input + times.backward_weight);
    for (std::int32_t ranks = 1; ranks <= 5; ++ranks) {
      for (std::int32_t chunks = 1; chunks <= 4; ++chunks) {
        for (std::int32_t rounds = 1; rounds <= 3; ++rounds) {
          CAPTURE(ranks);
          CAPTURE(chunks);
          CAPTURE(rounds);
          const std::int32_t micros = rounds * ranks;
          CHECK(time_of("interleaved_1f1b", ranks, chunks, micros, times) ==
                (micros * chunks + ranks - 1) * slot);
        }
      }
    }
  }
}

TEST_CASE("ZB-H1 is left with (R - 1)(F + I - W) of bubble from R micro-batches on") {
  for (const StageTimes& times : kStageTimes) {
    const TimeNs slot =
        nanoseconds_from_us(times.forward + times.backward_input + times.backward_weight);
    const TimeNs bubble =
        nanoseconds_from_us(times.forward + times.backward_input - times.backward_weight);
    for (std::int32_t ranks = 1; ranks <= 6; ++ranks) {
      for (std::int32_t micros = 2 * ranks; micros <= 2 * ranks + 7; ++micros) {
        CAPTURE(ranks);
        CAPTURE(micros);
        CHECK(time_of("zb_h1", ranks, 1, micros, times) == micros * slot + (ranks - 1) * bubble);
      }
    }
  }
}

// Chunk costs of 1 ms for F, BWD_INPUT and BWD_WEIGHT alike, 6 ms of a micro-batch a rank.
TEST_CASE("V schedules of equal costs: what V-Half, V-Min and 1F1B-V leave idle") {
  const StageTimes equal = {1000, 1000, 1000};
  for (std::int32_t ranks = 3; ranks <= 9; ++ranks) {
    for (const std::int32_t micros : {2 * ranks, 2 * ranks + 3}) {
      CAPTURE(ranks);
      CAPTURE(micros);
      const auto idle_ms = [&](const char* schedule) {
        return time_of(schedule, ranks, 2, micros, equal) / 1'000'000 - 6 * micros;
      };
      CHECK(idle_ms("v_half") == 3 * ranks - (ranks % 2 == 0 ? 7 : 4));
      CHECK(idle_ms("v_min") == 4 * ranks - (ranks % 3 == 0 ? 7 : 5));
      if (ranks % 3 == 1) CHECK(idle_ms("1f1b_v") == 5 * ranks - 5);
      if (ranks % 3 == 2) CHECK(idle_ms("1f1b_v") == 5 * ranks - 7);
    }
  }
}

// An overlap takes as long as its forward and its backward: one stream computes both. P ranks from
// where a micro-batch enters to where it turns or meets those from the other end.
TEST_CASE("DualPipe and DualPipeV leave (P - 1)(F&B + B - 3W) where F = I is not below W") {
  const StageTimes costs[] = {{1000, 1000, 1000}, {1000, 1000, 400}, {700, 700, 0}};
  for (const StageTimes& times : costs) {
    const double backward = times.backward_input + times.backward_weight;
    const TimeNs slot = nanoseconds_from_us(times.forward + backward);
    const TimeNs bubble =
        slot + nanoseconds_from_us(backward) - 3 * nanoseconds_from_us(times.backward_weight);
    for (std::int32_t to_turn = 1; to_turn <= 4; ++to_turn) {
      for (std::int32_t micros = 2 * to_turn; micros <= 2 * to_turn + 5; ++micros) {
        CAPTURE(to_turn);
        CAPTURE(micros);
        const TimeNs expected = 2 * micros * slot + (to_turn - 1) * bubble;
        CHECK(time_of("dualpipe", 2 * to_turn, 2, 2 * micros, times) == expected);
        CHECK(time_of("dualpipe_v", to_turn, 2, micros, times) == expected);
      }
    }
  }
}

TEST_CASE("DualPipe on two ranks has no bubble, whatever the costs") {
  for (const StageTimes& times : kStageTimes) {
    const TimeNs slot =
        nanoseconds_from_us(times.forward + times.backward_input + times.backward_weight);
    CHECK(time_of("dualpipe", 2, 2, 8, times) == 8 * slot);
  }
}

TEST_CASE("with hops of c and M a multiple of R, 1F1B takes [2(R - 1)(M / R + 1) - 2] c more") {
  const double hop_us = 10;
  for (const std::int32_t ranks : {2, 4, 8}) {
    for (std::int32_t rounds = 1; rounds <= 3; ++rounds) {
      CAPTURE(ranks);
      CAPTURE(rounds);
      const std::int32_t micros = rounds * ranks;
      const TimeNs hops = 2 * (ranks - 1) * (rounds + 1) - 2;
      CHECK(makespan_ns(trace_of(
                unqueued(stage_scenario("1f1b", ranks, 1, micros, 1000, 1000, 1000, hop_us)))) ==
            (micros + ranks - 1) * 3'000'000 + hops * nanoseconds_from_us(hop_us));
    }
  }
}

}  // namespace
}  // namespace steptwin
