#include "model/schedules/looped_bfs.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"
#include "model/schedules/schedules.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

TEST_CASE("looped_bfs: chunk by chunk, and back from the last micro-batch of the last chunk") {
  ScheduleRequest request;
  request.ranks = 2;
  request.chunks_per_rank = 2;
  request.micro_batches = 2;
  CHECK(steps_text(looped_bfs_order(request).ranks[1]) ==
        "FWD(s1,m0) FWD(s1,m1) FWD(s3,m0) FWD(s3,m1) BWD(s3,m1) BWD(s3,m0) BWD(s1,m1) BWD(s1,m0)");
  // The timeline in the header.
  request.p2p = false;
  const Schedule columns = build_schedule("looped_bfs", request);
  CHECK(steps_text(columns.ranks[0]) ==
        "FWD(s0,m0) FWD(s0,m1) FWD(s2,m0) FWD(s2,m1) - - BWD(s2,m1) BWD(s2,m0) BWD(s0,m1) "
        "BWD(s0,m0)");
  CHECK(steps_text(columns.ranks[1]) ==
        "- FWD(s1,m0) FWD(s1,m1) FWD(s3,m0) FWD(s3,m1) BWD(s3,m1) BWD(s3,m0) BWD(s1,m1) "
        "BWD(s1,m0)");
}

}  // namespace
}  // namespace steptwin
