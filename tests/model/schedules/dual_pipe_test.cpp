#include "model/schedules/dual_pipe.h"

#include <doctest/doctest.h>
#include <string>

#include "model/check.h"
#include "model/error.h"
#include "model/formats/steps_text.h"
#include "model/schedules/schedules.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

// R = 2, M = 4: rank 0 is the entry and the middle of the first copy, stage 0; its far stream is
// the end of the second copy, stage 3, which has micro-batches 2 and 3.
//   P-d = 1 times F near, F far; one steady pair, its first half not overlapped; B far, I near; W
TEST_CASE("dualpipe: two ranks mirror each other, each with the micro-batches of its own entry") {
  const Schedule schedule = dual_pipe(2, 4);
  CHECK(schedule.name == "dualpipe");
  CHECK(schedule.stages == mirrored_map(2));
  CHECK(order_text(schedule.ranks[0]) == "0F0 3F2 0F1 3B2 3F3|0B0 3B3 0I1 0W1");
  CHECK(order_text(schedule.ranks[1]) == "2F2 1F0 2F3 1B0 1F1|2B2 1B1 2I3 2W3");
}

// R = 1, M = 2: down stage 0, up stage 1.
TEST_CASE("dualpipe_v: one rank is entry and turn") {
  const Schedule schedule = dual_pipe_v(1, 2);
  CHECK(schedule.name == "dualpipe_v");
  CHECK(schedule.stages == v_map(1, 2));
  CHECK(order_text(schedule.ranks[0]) == "0F0 1F0 0F1 1B0 1F1|0B0 1B1 0I1 0W1");
}

TEST_CASE("dualpipe on 2P ranks is dualpipe_v on P ranks, with the way back on other ranks") {
  const Schedule both_ways = dual_pipe(4, 12);
  const Schedule folded = dual_pipe_v(2, 6);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    // Far stages are 7 - r here and 3 - r there, with micro-batches from 6 on.
    std::string expected;
    for (const Slot& slot : folded.ranks[rank]) {
      StepList moved;
      for_each_leaf(slot.value(), [&](const Step& leaf) {
        const bool far = leaf.stage >= 2;
        moved.emplace_back(
            make_step(leaf.type, leaf.stage + (far ? 4 : 0), leaf.micro + (far ? 6 : 0)));
      });
      expected += (expected.empty() ? "" : " ") + order_text({moved[0]});
      if (moved.size() == 2) expected += "|" + order_text({moved[1]});
    }
    CHECK(order_text(both_ways.ranks[rank]) == expected);
  }
}

TEST_CASE("dualpipe's two copies are found again in its step lists") {
  ScheduleRequest request;
  request.ranks = 4;
  request.chunks_per_rank = 2;
  request.micro_batches = 10;
  const Schedule built = build_schedule("dualpipe", request);
  const Schedule read = read_steps(steps_text(built), "f");
  CHECK(read.stages == mirrored_map(4));
  CHECK(read.micro_batches == 10);
  CHECK(check_schedule(read).empty());
  request.stage_map = StageMapKind::list;
  request.stage_map_list = {3, 1, 0, 2, 2, 0, 1, 3};
  const Schedule renamed = build_schedule("dualpipe", request);
  CHECK(renamed.stages.copies == 2);
  CHECK(renamed.ranks[3] == built.ranks[0]);
}

TEST_CASE("memory: 2P + 1 inputs of stages, P the ranks from entry to turn") {
  for (std::int32_t ranks = 1; ranks <= 6; ++ranks) {
    CAPTURE(ranks);
    const TimedOrder folded =
        time_order(dual_pipe_v(ranks, 2 * ranks + 3), uniform_costs(2 * ranks, 10, 10, 10, 0));
    const TimedOrder mirrored =
        time_order(dual_pipe(2 * ranks, 4 * ranks + 2), uniform_costs(4 * ranks, 10, 10, 10, 0));
    REQUIRE(folded.complete);
    REQUIRE(mirrored.complete);
    for (const RankTimes& rank : folded.ranks) CHECK(rank.peak_live == 2 * ranks + 1);
    for (const RankTimes& rank : mirrored.ranks) CHECK(rank.peak_live == 2 * ranks + 1);
  }
}

TEST_CASE("sizes that the schedules forbid are refused with the rule") {
  CHECK_THROWS_WITH_AS(dual_pipe(3, 8),
                       "error: dualpipe with 3 ranks; expected an even number: each rank has a "
                       "mirror image, which holds the same stages",
                       Error);
  CHECK_THROWS_WITH_AS(dual_pipe(4, 6),
                       "error: dualpipe with 4 ranks and 6 micro-batches; expected at least 8 "
                       "micro-batches, two for each rank",
                       Error);
  CHECK_THROWS_WITH_AS(
      dual_pipe(4, 9),
      "error: dualpipe with 9 micro-batches; expected an even number: half of them "
      "in each direction",
      Error);
  CHECK_THROWS_WITH_AS(dual_pipe_v(4, 7),
                       "error: dualpipe_v with 4 ranks and 7 micro-batches; expected at least 8 "
                       "micro-batches, two for each rank",
                       Error);
  CHECK_THROWS_AS(dual_pipe(0, 4), Error);
  CHECK_THROWS_AS(dual_pipe_v(2, 0), Error);
}

}  // namespace
}  // namespace steptwin
