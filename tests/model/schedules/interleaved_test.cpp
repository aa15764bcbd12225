#include "model/schedules/interleaved.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

ScheduleRequest request_of(std::int32_t ranks, std::int32_t chunks, std::int32_t micro_batches) {
  ScheduleRequest request;
  request.ranks = ranks;
  request.chunks_per_rank = chunks;
  request.micro_batches = micro_batches;
  return request;
}

TEST_CASE("interleaved: warm-up, steady pairs, drain with a bubble before each backward") {
  const Schedule columns = interleaved_columns(request_of(2, 2, 2));
  // W = min((2-1)*2 + 2, 4) = 4 on rank 0, min(2 + 0, 4) = 2 on rank 1.
  CHECK(steps_text(columns.ranks[0]) ==
        "FWD(s0,m0) FWD(s0,m1) FWD(s2,m0) FWD(s2,m1) - "
        "- BWD(s2,m0) - BWD(s2,m1) - BWD(s0,m0) - BWD(s0,m1)");
  CHECK(steps_text(columns.ranks[1]) ==
        "- FWD(s1,m0) FWD(s1,m1) FWD(s3,m0) BWD(s3,m0) FWD(s3,m1) BWD(s3,m1) "
        "- BWD(s1,m0) - BWD(s1,m1)");
}

TEST_CASE("interleaved: an overlap runs a backward with the forward after its own") {
  ScheduleRequest request = request_of(2, 2, 2);
  request.overlap = OverlapMode::b_f;
  CHECK(steps_text(interleaved_columns(request).ranks[1]) ==
        "- FWD(s1,m0) FWD(s1,m1) FWD(s3,m0) OVERLAP_B_F[BWD(s3,m0)|FWD(s3,m1)] BWD(s3,m1) "
        "- BWD(s1,m0) - BWD(s1,m1)");
}

TEST_CASE("interleaved: micro-batches left over make the first rounds longer") {
  // M = 5, R = 2: rounds of 3 and 2. W on the last rank is one round through chunk 0.
  const Schedule columns = interleaved_columns(request_of(2, 2, 5));
  CHECK(steps_text(columns.ranks[1])
            .starts_with(
                "- FWD(s1,m0) FWD(s1,m1) FWD(s1,m2) FWD(s3,m0) BWD(s3,m0) FWD(s3,m1) BWD(s3,m1) "
                "FWD(s3,m2) BWD(s3,m2) FWD(s1,m3) BWD(s1,m0) FWD(s1,m4) BWD(s1,m1) FWD(s3,m3) "
                "BWD(s1,m2) "
                "FWD(s3,m4) BWD(s3,m3) - BWD(s3,m4)"));
}

TEST_CASE("interleaved: a round shorter than the ring is filled up with bubbles") {
  // R - M = 1. Rank 0: one after the first round of the warm-up; max(0, 2d - M) + d = 2 after the
  // warm-up; two after each round of the drain. Rank 1 (last): one after its warm-up's round, two
  // after the steady phase's.
  const Schedule columns = interleaved_columns(request_of(2, 2, 1));
  CHECK(steps_text(columns.ranks[0]) ==
        "FWD(s0,m0) - FWD(s2,m0) - - - BWD(s2,m0) - - - BWD(s0,m0) - -");
  CHECK(steps_text(columns.ranks[1]) ==
        "- FWD(s1,m0) - FWD(s3,m0) BWD(s3,m0) - - - BWD(s1,m0) - -");
}

TEST_CASE("interleaved: less memory, half the stagger") {
  // W = d instead of 2d with one chunk.
  ScheduleRequest request = request_of(3, 1, 4);
  request.less_memory = true;
  CHECK(steps_text(interleaved_columns(request).ranks[0]) ==
        "FWD(s0,m0) FWD(s0,m1) - - FWD(s0,m2) BWD(s0,m0) FWD(s0,m3) BWD(s0,m1) "
        "- BWD(s0,m2) - BWD(s0,m3)");
}

}  // namespace
}  // namespace steptwin
