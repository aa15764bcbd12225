#include "model/schedules/rename_ranks.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "model/formats/steps_text.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

using Ranks = std::vector<std::int32_t>;

Ranks names(const StageMap& own, Ranks wanted) {
  return rank_names(own, StageMap{own.ranks, std::move(wanted)}, "stage s on rank s mod R");
}

TEST_CASE("a map with its ranks renamed gives the names by position") {
  CHECK(names(loop_map(3, 2), {0, 1, 2, 0, 1, 2}) == Ranks{0, 1, 2});
  CHECK(names(loop_map(3, 2), {2, 0, 1, 2, 0, 1}) == Ranks{2, 0, 1});
  CHECK(names(v_map(2, 2), {1, 0, 0, 1}) == Ranks{1, 0});
}

TEST_CASE("any other map is refused at the first stage that does not fit") {
  CHECK_THROWS_WITH_AS(names(loop_map(2, 2), {0, 1, 1, 0}),
                       "error: stage_map puts stage 2 on rank 1; expected the map of the schedule, "
                       "stage s on rank s mod R, with ranks renamed at most",
                       Error);
  CHECK_THROWS_WITH_AS(names(loop_map(2, 1), {1, 1}),
                       "error: stage_map puts stage 1 on rank 1; expected the map of the schedule, "
                       "stage s on rank s mod R, with ranks renamed at most",
                       Error);
  CHECK_THROWS_WITH_AS(names(loop_map(2, 1), {0, 2}),
                       "error: stage_map puts stage 1 on rank 2; expected a rank from 0 to 1",
                       Error);
  CHECK_THROWS_WITH_AS(names(loop_map(2, 2), {0, 1}),
                       "error: stage_map lists 2 stages; expected 4, ranks times chunks_per_rank",
                       Error);
}

TEST_CASE("lists and stages go with the name") {
  const Schedule renamed =
      with_ranks_renamed(Schedule{"", loop_map(2, 1), 1, {{fwd(0, 0)}, {fwd(1, 0)}}}, {1, 0});
  CHECK(renamed.stages.rank_of_stage == Ranks{1, 0});
  CHECK(steps_text(renamed.ranks[0]) == "FWD(s1,m0)");
  CHECK(steps_text(renamed.ranks[1]) == "FWD(s0,m0)");
}

}  // namespace
}  // namespace steptwin
