#include "model/schedules/one_f_one_b.h"

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

TEST_CASE("1f1b: the last warm-up output is sent with the first gradient's receive") {
  const Schedule schedule = one_f_one_b_schedule(request_of(2, 3));
  CHECK(steps_text(schedule.ranks[0]) ==
        "FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) "
        "BWD_RECV(s0,m0) FWD_SEND(s0,m1) BWD(s0,m0) FWD(s0,m2) "
        "BWD_RECV(s0,m1) FWD_SEND(s0,m2) BWD(s0,m1) BWD_RECV(s0,m2) BWD(s0,m2)");
  CHECK(steps_text(schedule.ranks[1]) ==
        "FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0) "
        "FWD_RECV(s1,m1) FWD(s1,m1) BWD(s1,m1) BWD_SEND(s1,m1) "
        "FWD_RECV(s1,m2) FWD(s1,m2) BWD(s1,m2) BWD_SEND(s1,m2)");
}

TEST_CASE("1f1b: in the warm-up an odd rank receives before it sends, an even one after") {
  const Schedule schedule = one_f_one_b_schedule(request_of(5, 5));
  CHECK(steps_text(schedule.ranks[1])
            .starts_with("FWD_RECV(s1,m0) FWD(s1,m0) FWD_RECV(s1,m1) FWD_SEND(s1,m0) FWD(s1,m1) "
                         "FWD_RECV(s1,m2)"));
  CHECK(steps_text(schedule.ranks[2])
            .starts_with("FWD_RECV(s2,m0) FWD(s2,m0) FWD_SEND(s2,m0) FWD_RECV(s2,m1) FWD(s2,m1) "
                         "FWD_SEND(s2,m1)"));
}

TEST_CASE("1f1b: fewer micro-batches than ranks ahead, all outputs leave in the warm-up") {
  const Schedule schedule = one_f_one_b_schedule(request_of(3, 1));
  CHECK(steps_text(schedule.ranks[0]) == "FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)");
  CHECK(steps_text(schedule.ranks[1]) ==
        "FWD_RECV(s1,m0) FWD(s1,m0) FWD_SEND(s1,m0) BWD_RECV(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)");
}

TEST_CASE("1f1b: in the steady phase a micro-batch is loaded before the gradient is sent") {
  ScheduleRequest request = request_of(2, 2);
  request.data_steps = true;
  CHECK(steps_text(one_f_one_b_schedule(request).ranks[1]) ==
        "DATA_LOAD(s1,m0) FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) DATA_LOAD(s1,m1) BWD_SEND(s1,m0) "
        "FWD_RECV(s1,m1) FWD(s1,m1) BWD(s1,m1) BWD_SEND(s1,m1)");
}

}  // namespace
}  // namespace steptwin
