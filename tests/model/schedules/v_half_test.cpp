#include "model/schedules/v_half.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "model/error.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

TEST_CASE("one micro-batch runs down and up") {
  const Schedule half = v_half(2, 1);
  CHECK(half.name == "v_half");
  CHECK(half.stages == v_map(2, 2));
  CHECK(order_text(half.ranks[0]) == "0F0 3F0 3I0 3W0 0I0 0W0");
  CHECK(order_text(half.ranks[1]) == "1F0 2F0 2I0 2W0 1I0 1W0");
  const Schedule third = v_min(2, 1);
  CHECK(third.name == "v_min");
  CHECK(third.stages == v_map(2, 2));
  CHECK(order_text(third.ranks[0]) == "0F0 3F0 3I0 3W0 0I0 0W0");
  CHECK(order_text(third.ranks[1]) == "1F0 2F0 2I0 1I0 2W0 1W0");
}

// The block of v_half leaves a cell between the backwards, where a BWD_WEIGHT goes.
TEST_CASE("one rank: nothing to wait for, one micro-batch after the other") {
  CHECK(order_text(v_half(1, 2).ranks[0]) == "0F0 1F0 1I0 1W0 0I0 0W0 0F1 1F1 1I1 0I1 1W1 0W1");
  CHECK(order_text(v_min(1, 2).ranks[0]) == "0F0 1F0 1I0 0I0 1W0 0W0 0F1 1F1 1I1 0I1 1W1 0W1");
}

std::vector<std::int32_t> peaks(const Schedule& schedule) {
  const TimedOrder timed =
      time_order(schedule, uniform_costs(schedule.stages.stages(), 10, 10, 10, 0));
  REQUIRE(timed.complete);
  std::vector<std::int32_t> peak;
  for (const RankTimes& rank : timed.ranks) peak.push_back(rank.peak_live);
  return peak;
}

// Twice the micro-batches: a rank runs two forwards of each.
TEST_CASE("memory: (R+2)/2 and (R+4)/3 micro-batches on every rank of 4, 8 and 16") {
  for (const std::int32_t ranks : {4, 8, 16}) {
    CAPTURE(ranks);
    const std::vector<std::int32_t> half = peaks(v_half(ranks, 3 * ranks));
    const std::vector<std::int32_t> third = peaks(v_min(ranks, 3 * ranks));
    CHECK(*std::max_element(half.begin(), half.end()) == 2 * ((ranks + 2) / 2));
    CHECK(*std::max_element(third.begin(), third.end()) == 2 * ((ranks + 4) / 3));
  }
  CHECK(peaks(v_half(4, 12)) == std::vector<std::int32_t>{6, 6, 6, 6});
  CHECK(peaks(v_min(4, 12)) == std::vector<std::int32_t>{4, 4, 4, 4});
}

TEST_CASE("no ranks or micro-batches, and too many ranks, are refused") {
  CHECK_THROWS_WITH_AS(v_half(0, 4), "error: v_half with 0 ranks; expected at least 1 of the ranks",
                       Error);
  CHECK_THROWS_AS(v_min(4, 0), Error);
  CHECK_THROWS_WITH_AS(v_min(2000, 1),
                       "error: v_min with 2000 ranks; expected at most 1024: its order is found "
                       "cell by cell",
                       Error);
  CHECK_THROWS_AS(v_half(2000, 1), Error);
}

}  // namespace
}  // namespace steptwin
