#include "model/schedules/gpipe.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

ScheduleRequest request_of(std::int32_t ranks, std::int32_t micro_batches) {
  ScheduleRequest request;
  request.ranks = ranks;
  request.micro_batches = micro_batches;
  return request;
}

TEST_CASE("gpipe: all forwards, all backwards, each between its receive and its send") {
  const Schedule schedule = gpipe_schedule(request_of(3, 2));
  CHECK(steps_text(schedule.ranks[0]) ==
        "FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) FWD_SEND(s0,m1) "
        "BWD_RECV(s0,m0) BWD(s0,m0) BWD_RECV(s0,m1) BWD(s0,m1)");
  CHECK(steps_text(schedule.ranks[1]) ==
        "FWD_RECV(s1,m0) FWD(s1,m0) FWD_SEND(s1,m0) FWD_RECV(s1,m1) FWD(s1,m1) FWD_SEND(s1,m1) "
        "BWD_RECV(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0) BWD_RECV(s1,m1) BWD(s1,m1) BWD_SEND(s1,m1)");
  CHECK(steps_text(schedule.ranks[2]) ==
        "FWD_RECV(s2,m0) FWD(s2,m0) FWD_RECV(s2,m1) FWD(s2,m1) "
        "BWD(s2,m0) BWD_SEND(s2,m0) BWD(s2,m1) BWD_SEND(s2,m1)");
}

TEST_CASE("gpipe: a micro-batch is loaded before its receive") {
  ScheduleRequest request = request_of(2, 1);
  request.data_steps = true;
  CHECK(steps_text(gpipe_schedule(request).ranks[1]) ==
        "DATA_LOAD(s1,m0) FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)");
}

TEST_CASE("gpipe: one rank has nobody to talk to") {
  CHECK(steps_text(gpipe_schedule(request_of(1, 1)).ranks[0]) == "FWD(s0,m0) BWD(s0,m0)");
}

}  // namespace
}  // namespace steptwin
