#include "cli/replay_text.h"

#include <doctest/doctest.h>

namespace steptwin::cli {
namespace {

constexpr TimeNs kMs = 1'000'000;

// Four ranks, one iteration of 100 ms that is replayed in 98, 100 and 99.
compare::Replay small_replay() {
  compare::Replay replay;
  replay.folder = "a\x1b[31m";
  replay.ranks = 4;
  replay.micro_batches = 1;
  replay.iterations = {{7, 100 * kMs, 98 * kMs, 100 * kMs, 99 * kMs, 0}};
  replay.fitted_hop_ns = kMs;
  replay.measured_gap_ns = 2 * kMs;
  return replay;
}

std::string text_of(const compare::Replay& replay) {
  return replay_text(replay, 100, false);
}

TEST_CASE("the title says what is replayed, and steers no terminal") {
  CHECK(text_of(small_replay())
            .starts_with("a?[31m: 1F1B as recorded, 4 ranks, 1 micro-batch, iterations 7 to 7\n\n"
                         "  replayed with its own durations    step  median"));
  compare::Replay warm = small_replay();
  warm.warmup = 1;
  CHECK(text_of(warm).find("  the first is left out as warm-up (--warmup)\n") != std::string::npos);
}

TEST_CASE("what cannot be seen is not guessed") {
  const std::string text = text_of(small_replay());
  CHECK(text.find("  - 2 ms pass between two operations") != std::string::npos);
  CHECK(text.find("  - how long a hop takes cannot be seen: the neighbours' times contradict each "
                  "other\n") != std::string::npos);
  CHECK(text.find("stands in") == std::string::npos);
  CHECK(text.find("  no operation took half as long again as is usual on its rank\n") !=
        std::string::npos);
}

TEST_CASE("a single rank has no hops") {
  compare::Replay replay = small_replay();
  replay.ranks = 1;
  const std::string text = text_of(replay);
  CHECK(text.find("fitted") == std::string::npos);
  CHECK(text.find("contradict") == std::string::npos);
}

// Each of the two costs nothing alone, since the other is beside it.
TEST_CASE("slow operations: the dearest first, ten at most, and what they cost together") {
  compare::Replay replay = small_replay();
  replay.iterations[0].slow_cost_ns = 5 * kMs;
  for (std::int32_t micro = 0; micro < 12; ++micro) {
    replay.slow.push_back({7, 2, micro, false, 30 * kMs, 20 * kMs, 0, 100 * kMs});
  }
  replay.slow[4].cost_ns = 4 * kMs;
  replay.slow[4].step_without_ns = 96 * kMs;
  const std::string text = text_of(replay);
  CHECK(text.find("\n"
                  "  iteration 7 rank 2 backward 4  30 ms  20 ms      6 ms  4 ms       +4.2 %\n"
                  "  iteration 7 rank 2 backward 0  30 ms  20 ms     10 ms     0          0 %\n") !=
        std::string::npos);
  CHECK(text.find("backward 9 ") != std::string::npos);
  CHECK(text.find("backward 10 ") == std::string::npos);
  CHECK(text.find("\n  and 2 more, which cost less\n") != std::string::npos);
  CHECK(text.find("\n        the 12 of iteration 7 together cost 5 ms\n") != std::string::npos);
  replay.iterations[0].slow_cost_ns = 4 * kMs;
  CHECK(text_of(replay).find("together") == std::string::npos);
}

}  // namespace
}  // namespace steptwin::cli
