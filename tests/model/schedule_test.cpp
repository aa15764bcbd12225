#include "model/schedule.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/step_words.h"

namespace steptwin {
namespace {

using Ranks = std::vector<std::int32_t>;

TEST_CASE("the loop map goes round: stage s is on rank s mod R") {
  CHECK(loop_map(3, 1).rank_of_stage == Ranks{0, 1, 2});
  CHECK(loop_map(3, 2).rank_of_stage == Ranks{0, 1, 2, 0, 1, 2});
  CHECK(loop_map(1, 2).rank_of_stage == Ranks{0, 0});
}

//   rank 0  s0          s5 s6
//   rank 1     s1    s4       s7
//   rank 2        s2 s3          s8
TEST_CASE("the v map goes back and forth: for V = 2 the last stage is on the first rank") {
  CHECK(v_map(3, 1).rank_of_stage == Ranks{0, 1, 2});
  CHECK(v_map(3, 2).rank_of_stage == Ranks{0, 1, 2, 2, 1, 0});
  CHECK(v_map(3, 3).rank_of_stage == Ranks{0, 1, 2, 2, 1, 0, 0, 1, 2});
  CHECK(v_map(1, 3).rank_of_stage == Ranks{0, 0, 0});
}

TEST_CASE("a map knows the rank of a stage and the stages of a rank, ascending") {
  const StageMap map = v_map(2, 2);
  CHECK(map.stages() == 4);
  CHECK(map.rank_of(3) == 0);
  CHECK(map.stages_of(0) == Ranks{0, 3});
  CHECK(map.stages_of(1) == Ranks{1, 2});
  CHECK(map.stages_of(2).empty());
  CHECK(map == StageMap{2, {0, 1, 1, 0}});
  CHECK_FALSE(map == loop_map(2, 2));
}

TEST_CASE("neighbours: the stages before and after, none at the ends") {
  const StageMap map = loop_map(2, 2);
  CHECK(map.stage_before(0) == StageMap::kNoStage);
  CHECK(map.stage_before(1) == 0);
  CHECK(map.stage_after(2) == 3);
  CHECK(map.stage_after(3) == StageMap::kNoStage);
  CHECK(map.stage_before(4) == StageMap::kNoStage);
  CHECK(map.stage_after(-1) == StageMap::kNoStage);
}

//   rank 0  s0          s5
//   rank 1     s1    s4
//   rank 2        s2 s3
TEST_CASE("two copies from either end: nothing flows from one to the other") {
  const StageMap map = mirrored_map(3);
  CHECK(map.copies == 2);
  CHECK(map.rank_of_stage == Ranks{0, 1, 2, 2, 1, 0});
  CHECK(map.stage_after(1) == 2);
  CHECK(map.stage_after(2) == StageMap::kNoStage);
  CHECK(map.stage_before(3) == StageMap::kNoStage);
  CHECK(map.stage_after(3) == 4);
  CHECK_FALSE(map == v_map(3, 2));
}

TEST_CASE("each copy runs its share of the micro-batches") {
  const Schedule two{"", mirrored_map(2), 6, {}};
  CHECK(two.runs(1, 2));
  CHECK_FALSE(two.runs(1, 3));
  CHECK_FALSE(two.runs(2, 2));
  CHECK(two.runs(2, 3));
  CHECK_FALSE(two.runs(3, 6));
  const Schedule one{"", v_map(2, 2), 6, {}};
  CHECK(one.runs(0, 5));
  CHECK(one.runs(3, 0));
}

TEST_CASE("transfers are found alone, in batches and at the boundary of an overlap") {
  const auto has = [](Step step) {
    return has_transfers(Schedule{"", loop_map(1, 1), 1, {{kBubble, std::move(step)}}});
  };
  CHECK_FALSE(has(fwd(0, 0)));
  CHECK_FALSE(has(make_stage_step(StepType::fsdp_unshard, 0)));
  CHECK(has(make_step(StepType::bwd_recv, 0, 0)));
  CHECK(has(make_batch({make_step(StepType::fwd_send, 0, 0)})));
  CHECK_FALSE(has(overlap_b_f(bwd(0, 0), fwd(0, 1))));
  CHECK(has(make_overlap(StepType::overlap_b_f, bwd(0, 0), fwd(0, 1),
                         {make_step(StepType::fwd_send, 0, 1)})));
}

TEST_CASE("leaves of a composite are its sub-steps, not its boundary") {
  const Step overlap = make_overlap(StepType::overlap_b_f, bwd(1, 0), fwd(0, 2),
                                    {make_step(StepType::fwd_send, 0, 2)});
  std::string leaves;
  const auto visit = [&leaves](const Step& leaf) { leaves += step_label(leaf) + " "; };
  for_each_leaf(overlap, visit);
  for_each_leaf(fwd(0, 3), visit);
  for_each_leaf(make_batch({make_step(StepType::bwd_send, 1, 0)}), visit);
  CHECK(leaves == "BWD(s1,m0) FWD(s0,m2) FWD(s0,m3) BWD_SEND(s1,m0) ");
}

}  // namespace
}  // namespace steptwin
