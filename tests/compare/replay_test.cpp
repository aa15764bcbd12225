#include "compare/replay.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/reports/import/made_up_dump.h"

namespace steptwin::compare {
namespace {

constexpr TimeNs kMs = 1'000'000;

Replay made_up_replay() {
  return replay(reports::read_pp_dump(reports::made_up_dump()), 2);
}

// With a hop h and no gap rank 0 ends 4 h after 120 ms, which makes 126 with 1.5. In iteration 5
// F1 of rank 1 is 12 longer: B1 of rank 0 then waits for B1 of rank 1, and there are 2 hops less.
TEST_CASE("three ways to replay: dependencies, a hop that is fitted, hops and gaps as measured") {
  const Replay replay = made_up_replay();
  CHECK(replay.fitted_hop_ns == 1'500'000);
  CHECK(replay.measured_hop_ns == 1 * kMs);
  CHECK(replay.measured_gap_ns == kMs / 2);
  REQUIRE(replay.iterations.size() == 3);
  for (const std::size_t at : {0, 1}) {
    const ReplayedIteration& iteration = replay.iterations[at];
    CHECK(iteration.number == static_cast<std::int32_t>(at) + 3);
    CHECK(iteration.measured_ns == 126 * kMs);
    CHECK(iteration.dependencies_ns == 120 * kMs);
    CHECK(iteration.fitted_ns == 126 * kMs);
    CHECK(iteration.explained_ns == 125'500'000);
  }
  CHECK(replay.iterations[2].measured_ns == 137 * kMs);
  CHECK(replay.iterations[2].dependencies_ns == 132 * kMs);
  CHECK(replay.iterations[2].fitted_ns == 135 * kMs);
  CHECK(replay.iterations[2].explained_ns == 136'500'000);
}

TEST_CASE("the median is over the iterations, the worst the furthest off to either side") {
  const Replay replay = made_up_replay();
  CHECK(median_error(replay, &ReplayedIteration::dependencies_ns) == -6.0 / 126);
  CHECK(median_error(replay, &ReplayedIteration::fitted_ns) == 0.0);
  CHECK(median_error(replay, &ReplayedIteration::explained_ns) == -0.5 / 126);
  CHECK(worst_iteration(replay, &ReplayedIteration::fitted_ns)->number == 5);
  CHECK(worst_iteration(replay, &ReplayedIteration::dependencies_ns)->number == 3);
}

TEST_CASE("a slow operation costs what the step is shorter without it; slack absorbs the rest") {
  const Replay replay = made_up_replay();
  REQUIRE(replay.slow.size() == 2);
  const SlowOperation& absorbed = replay.slow[0];
  CHECK(absorbed.iteration == 4);
  CHECK(absorbed.rank == 0);
  CHECK(absorbed.micro == 1);
  CHECK(absorbed.is_forward);
  CHECK(absorbed.duration_ns == 25 * kMs);
  CHECK(absorbed.usual_ns == 10 * kMs);
  CHECK(absorbed.cost_ns == 0);
  CHECK(absorbed.absorbed_ns() == 15 * kMs);
  const SlowOperation& costly = replay.slow[1];
  CHECK(costly.iteration == 5);
  CHECK(costly.rank == 1);
  CHECK(costly.micro == 1);
  CHECK(costly.duration_ns == 22 * kMs);
  CHECK(costly.cost_ns == 9 * kMs);
  CHECK(costly.step_without_ns == 126 * kMs);
  CHECK(costly.absorbed_ns() == 3 * kMs);
  CHECK(replay.iterations[0].slow_cost_ns == 0);
  CHECK(replay.iterations[1].slow_cost_ns == 0);
  CHECK(replay.iterations[2].slow_cost_ns == 9 * kMs);
}

TEST_CASE("a warm-up that leaves nothing is an error, and so is another order than 1F1B") {
  const std::string folder = reports::made_up_dump();
  reports::PpDump dump = reports::read_pp_dump(folder);
  CHECK(replay(dump, 4).iterations.size() == 1);
  CHECK_THROWS_WITH_AS(
      replay(dump, 5),
      (folder +
       ": error: has 5 iterations, of which 5 are left out as warm-up; expected fewer iterations "
       "of warm-up")
          .c_str(),
      Error);
  std::swap(dump.iterations[1].ranks[1].forward[1], dump.iterations[1].ranks[1].forward[2]);
  CHECK_THROWS_WITH_AS(
      replay(dump, 2),
      (folder +
       "/pp_rank_1.json: error: in iteration 2 the backward of micro-batch 1 begins before the "
       "forward of micro-batch 1; expected the order of 1F1B")
          .c_str(),
      Error);
}

TEST_CASE("a single rank: nothing to fit, and what is not computing is gaps") {
  reports::PpDump dump;
  dump.ranks = 1;
  dump.micro_batches = 2;
  dump.iterations = {{1, {{{{0, 10}, {33, 43}}, {{11, 31}, {44, 64}}, 64, {}}}}};
  const Replay replay = compare::replay(dump, 0);
  CHECK(replay.fitted_hop_ns == 0);
  CHECK_FALSE(replay.measured_hop_ns);
  CHECK(replay.measured_gap_ns == 1);
  CHECK(replay.iterations[0].dependencies_ns == 60);
  CHECK(replay.iterations[0].explained_ns == 63);
}

}  // namespace
}  // namespace steptwin::compare
