#include "model/schedules/schedules.h"

#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "model/error.h"
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

// Why the request is refused: "error: wrong; expected expected", or "" if it is not.
std::string refusal(std::string_view name, const ScheduleRequest& request) {
  try {
    build_schedule(name, request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("the names, as the documentation lists them") {
  CHECK(schedule_names() == std::vector<std::string_view>{
                                "gpipe", "1f1b", "interleaved_1f1b", "looped_bfs", "zb_h1", "zb_h2",
                                "zb_heuristic", "interleaved_zb", "zbv", "zbv_heuristic", "1f1b_v",
                                "v_half", "v_min", "dualpipe", "dualpipe_v"});
}

TEST_CASE("an unknown name is answered with the nearest one, or with all") {
  const ScheduleRequest request = request_of(2, 1, 2);
  CHECK(refusal("gpype", request) ==
        "error: there is no schedule \"gpype\"; expected \"gpipe\" perhaps");
  CHECK(refusal("interleaved1f1b", request) ==
        "error: there is no schedule \"interleaved1f1b\"; expected \"interleaved_1f1b\" perhaps");
  CHECK(refusal("something else", request) ==
        "error: there is no schedule \"something else\"; expected one of gpipe 1f1b "
        "interleaved_1f1b looped_bfs zb_h1 zb_h2 zb_heuristic interleaved_zb zbv zbv_heuristic "
        "1f1b_v v_half v_min dualpipe dualpipe_v");
}

TEST_CASE("sizes start at one and end where memory does") {
  CHECK(refusal("gpipe", request_of(0, 1, 1)) == "error: ranks is 0; expected at least 1");
  CHECK(refusal("gpipe", request_of(1, 0, 1)) ==
        "error: chunks_per_rank is 0; expected at least 1");
  CHECK(refusal("gpipe", request_of(1, 1, -3)) ==
        "error: micro_batches is -3; expected at least 1");
  constexpr std::int32_t kHuge = std::numeric_limits<std::int32_t>::max();
  CHECK(refusal("looped_bfs", request_of(kHuge, kHuge, kHuge)) ==
        "error: 2147483647 ranks of 2147483647 chunks with 2147483647 micro-batches; expected at "
        "most 100000000 forward and backward steps in all");
  CHECK(refusal("gpipe", request_of(1, 1, kHuge)) != "");
}

TEST_CASE("one chunk where the schedule has one") {
  for (const char* name : {"gpipe", "1f1b"}) {
    CHECK(refusal(name, request_of(2, 2, 2)) ==
          "error: chunks_per_rank is 2 with schedule " + std::string(name) +
              "; expected 1: this schedule has one stage on each rank");
  }
  CHECK(refusal("looped_bfs", request_of(2, 3, 2)) == "");
  CHECK(chunks_prescribed("1f1b") == 1);
  CHECK(chunks_prescribed("looped_bfs") == 0);
}

TEST_CASE("two chunks where the schedule runs down the ranks and up again, or both ways") {
  for (const char* name :
       {"zbv", "zbv_heuristic", "1f1b_v", "v_half", "v_min", "dualpipe", "dualpipe_v"}) {
    CHECK(refusal(name, request_of(2, 1, 4)) ==
          "error: chunks_per_rank is 1 with schedule " + std::string(name) +
              "; expected 2: this schedule has two stages on each rank");
    CHECK(chunks_prescribed(name) == 2);
  }
}

TEST_CASE("the rules of the builders come through") {
  CHECK(refusal("dualpipe", request_of(3, 2, 8)).starts_with("error: dualpipe with 3 ranks"));
  CHECK(
      refusal("dualpipe_v", request_of(4, 2, 4))
          .starts_with("error: dualpipe_v with 4 ranks and 4 micro-batches; expected at least 8"));
  CHECK(refusal("v_half", request_of(1025, 2, 1)).starts_with("error: v_half with 1025 ranks"));
}

TEST_CASE("overlap where it is supported") {
  ScheduleRequest request = request_of(2, 1, 4);
  request.overlap = OverlapMode::b_f;
  CHECK(refusal("interleaved_1f1b", request) == "");
  CHECK(refusal("1f1b", request) ==
        "error: overlap = \"b_f\" with schedule 1f1b; expected overlap \"none\", or schedule "
        "interleaved_1f1b");
  request.overlap = OverlapMode::f_b;
  CHECK(refusal("interleaved_1f1b", request) ==
        "error: overlap = \"f_b\" with schedule interleaved_1f1b; expected overlap \"none\", or "
        "schedule dualpipe or dualpipe_v, which always overlap so");
}

TEST_CASE("dualpipe and dualpipe_v overlap a forward with a later backward, asked or not") {
  ScheduleRequest request = request_of(2, 2, 4);
  for (const char* name : {"dualpipe", "dualpipe_v"}) {
    request.overlap = OverlapMode::none;
    const Schedule plain = build_schedule(name, request);
    CHECK(steps_text(plain.ranks[1]).find("OVERLAP_F_B[FWD(") != std::string::npos);
    request.overlap = OverlapMode::f_b;
    CHECK(build_schedule(name, request).ranks == plain.ranks);
    request.overlap = OverlapMode::b_f;
    CHECK(refusal(name, request).starts_with("error: overlap = \"b_f\" with schedule dualpipe"));
  }
}

TEST_CASE("less memory where it is supported, and not together with overlap") {
  ScheduleRequest request = request_of(2, 1, 4);
  request.less_memory = true;
  CHECK(refusal("interleaved_1f1b", request) == "");
  CHECK(refusal("gpipe", request) ==
        "error: less_memory with schedule gpipe; expected less_memory = false, or schedule "
        "interleaved_1f1b");
  request.overlap = OverlapMode::b_f;
  CHECK(
      refusal("interleaved_1f1b", request)
          .starts_with("error: less_memory together with overlap = \"b_f\"; expected one of them"));
}

TEST_CASE("the stage map is the schedule's own, or that with its ranks renamed") {
  ScheduleRequest request = request_of(2, 2, 2);
  request.stage_map = StageMapKind::loop;
  CHECK(refusal("interleaved_1f1b", request) == "");
  request.stage_map = StageMapKind::v;
  CHECK(refusal("interleaved_1f1b", request) ==
        "error: stage_map puts stage 2 on rank 1; expected the map of the schedule, stage s on "
        "rank s mod R, with ranks renamed at most");
  request.stage_map = StageMapKind::list;
  request.stage_map_list = {1, 0, 1, 0};
  const Schedule schedule = build_schedule("interleaved_1f1b", request);
  CHECK(schedule.stages.rank_of_stage == request.stage_map_list);
  CHECK(steps_text(schedule.ranks[1]).starts_with("FWD(s0,m0) FWD_SEND(s0,m0)"));
  // With one stage a rank the zig-zag is the loop.
  request = request_of(3, 1, 2);
  request.stage_map = StageMapKind::v;
  CHECK(refusal("1f1b", request) == "");
}

TEST_CASE("without P2P there are compute steps and bubbles only, DATA steps asked for or not") {
  ScheduleRequest request = request_of(2, 1, 1);
  request.p2p = false;
  request.data_steps = true;
  CHECK(steps_text(build_schedule("gpipe", request).ranks[1]) == "FWD(s1,m0) BWD(s1,m0)");
  CHECK(steps_text(build_schedule("looped_bfs", request).ranks[1]) == "- FWD(s1,m0) BWD(s1,m0)");
  request.micro_batches = 2;
  CHECK(steps_text(build_schedule("interleaved_1f1b", request).ranks[1]) ==
        "- FWD(s1,m0) BWD(s1,m0) FWD(s1,m1) BWD(s1,m1)");
}

TEST_CASE("a schedule carries its name, map and micro-batches") {
  const Schedule schedule = build_schedule("interleaved_1f1b", request_of(2, 3, 5));
  CHECK(schedule.name == "interleaved_1f1b");
  CHECK(schedule.stages == loop_map(2, 3));
  CHECK(schedule.micro_batches == 5);
}

}  // namespace
}  // namespace steptwin
