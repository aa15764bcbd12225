#include "model/schedules/one_f_one_b_v.h"

#include <algorithm>
#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

TEST_CASE("one rank, and one micro-batch") {
  const Schedule lone = one_f_one_b_v(1, 2);
  CHECK(lone.name == "1f1b_v");
  CHECK(order_text(lone.ranks[0]) == "0F0 1F0 1B0 0B0 0F1 1F1 1B1 0B1");
  const Schedule schedule = one_f_one_b_v(2, 1);
  CHECK(schedule.stages == v_map(2, 2));
  CHECK(order_text(schedule.ranks[0]) == "0F0 3F0 3B0 0B0");
  CHECK(order_text(schedule.ranks[1]) == "1F0 2F0 2B0 1B0");
}

TEST_CASE("memory: 2R/3 + 1 micro-batches, two forwards each, where there are as many") {
  for (std::int32_t ranks = 1; ranks <= 16; ++ranks) {
    for (const std::int32_t micros : {1, 2, ranks, 2 * ranks + 1}) {
      CAPTURE(ranks);
      CAPTURE(micros);
      const TimedOrder timed =
          time_order(one_f_one_b_v(ranks, micros), uniform_costs(2 * ranks, 10, 10, 10, 0));
      REQUIRE(timed.complete);
      std::int32_t most = 0;
      for (const RankTimes& rank : timed.ranks) most = std::max(most, rank.peak_live);
      CHECK(most == 2 * std::min(micros, 2 * ranks / 3 + 1));
    }
  }
}

TEST_CASE("no ranks or micro-batches, and too many ranks, are refused") {
  CHECK_THROWS_WITH_AS(one_f_one_b_v(2, 0),
                       "error: 1f1b_v with 0 micro-batches; expected at least 1 of the "
                       "micro-batches",
                       Error);
  CHECK_THROWS_AS(one_f_one_b_v(-1, 2), Error);
  CHECK_THROWS_AS(one_f_one_b_v(1025, 2), Error);
}

}  // namespace
}  // namespace steptwin
