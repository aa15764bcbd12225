#include "model/schedules/zero_bubble.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "model/error.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

TEST_CASE("zb_h1 with two ranks: the last rank keeps one W back") {
  const Schedule schedule = zb_h1(2, 3);
  CHECK(schedule.name == "zb_h1");
  CHECK(schedule.stages == loop_map(2, 1));
  CHECK(schedule.micro_batches == 3);
  REQUIRE(schedule.ranks.size() == 2);
  CHECK(order_text(schedule.ranks[0]) == "0F0 0F1 0I0 0W0 0F2 0I1 0W1 0I2 0W2");
  CHECK(order_text(schedule.ranks[1]) == "1F0 1I0 1F1 1I1 1W0 1F2 1I2 1W1 1W2");
}

TEST_CASE("zb_h2 with two ranks: twice the warm-up, twice the lag") {
  const Schedule schedule = zb_h2(2, 4);
  CHECK(schedule.name == "zb_h2");
  CHECK(schedule.stages == loop_map(2, 1));
  CHECK(order_text(schedule.ranks[0]) == "0F0 0F1 0F2 0I0 0W0 0F3 0I1 0W1 0I2 0W2 0I3 0W3");
  CHECK(order_text(schedule.ranks[1]) == "1F0 1I0 1F1 1I1 1F2 1I2 1W0 1F3 1I3 1W1 1W2 1W3");
}

TEST_CASE("interleaved_zb: two chunks a rank, forwards up and backwards down in groups") {
  const Schedule schedule = interleaved_zb(2, 2, 2);
  CHECK(schedule.name == "interleaved_zb");
  CHECK(schedule.stages == loop_map(2, 2));
  CHECK(order_text(schedule.ranks[0]) == "0F0 0F1 2F0 2F1 2I0 2W0 2I1 2W1 0I0 0W0 0I1 0W1");
  CHECK(order_text(schedule.ranks[1]) == "1F0 1F1 3F0 3I0 3F1 3I1 3W0 1I0 3W1 1I1 1W0 1W1");
}

TEST_CASE("interleaved_zb with one chunk a rank is zb_h1") {
  const Schedule interleaved = interleaved_zb(4, 1, 9);
  const Schedule h1 = zb_h1(4, 9);
  CHECK(interleaved.ranks == h1.ranks);
}

TEST_CASE("zbv is made for 2R-1 micro-batches and stripped of those that are not there") {
  const Schedule lone = zbv(1, 1);
  CHECK(lone.name == "zbv");
  CHECK(order_text(lone.ranks[0]) == "0F0 1F0 1I0 1W0 0I0 0W0");
  const Schedule schedule = zbv(2, 1);
  CHECK(schedule.stages == v_map(2, 2));
  CHECK(order_text(schedule.ranks[0]) == "0F0 3F0 3I0 3W0 0I0 0W0");
  CHECK(order_text(schedule.ranks[1]) == "1F0 2F0 2I0 2W0 1I0 1W0");
}

TEST_CASE("the memory each schedule promises") {
  // Equal costs, no latency, four ranks, 16 micro-batches.
  const auto peaks = [](const Schedule& schedule) {
    const TimedOrder timed =
        time_order(schedule, uniform_costs(schedule.stages.stages(), 10, 10, 10, 0));
    std::vector<std::int32_t> peak;
    for (const RankTimes& rank : timed.ranks) peak.push_back(rank.peak_live);
    return peak;
  };
  CHECK(peaks(zb_h1(4, 16)) == std::vector<std::int32_t>{4, 4, 4, 4});
  CHECK(peaks(zb_h2(4, 16)) == std::vector<std::int32_t>{7, 7, 7, 7});
  CHECK(peaks(interleaved_zb(4, 2, 16)) == std::vector<std::int32_t>{8, 8, 8, 8});
  CHECK(peaks(zbv(4, 16)) == std::vector<std::int32_t>{8, 8, 8, 8});
}

TEST_CASE("equal costs: zb_h2 and zbv have no bubble between a rank's first step and last") {
  // M (F+I+W) = 30 M per rank; a chunk of zbv is half a rank's share.
  for (std::int32_t ranks = 1; ranks <= 8; ++ranks) {
    for (std::int32_t micros = 2 * ranks - 1; micros <= 3 * ranks; ++micros) {
      CAPTURE(ranks);
      CAPTURE(micros);
      const ZbHeuristicCosts whole = uniform_costs(ranks, 10, 10, 10, 0);
      const ZbHeuristicCosts halves = uniform_costs(2 * ranks, 5, 5, 5, 0);
      CHECK(time_order(zb_h2(ranks, micros), whole).longest_span() == 30 * micros);
      CHECK(time_order(zbv(ranks, micros), halves).longest_span() == 30 * micros);
    }
  }
}

TEST_CASE("equal costs: zb_h1 leaves (R-1)(F+I-W), a third of 1F1B's bubble") {
  CHECK(time_order(zb_h1(4, 16), uniform_costs(4, 10, 10, 10, 0)).makespan() == 16 * 30 + 3 * 10);
  CHECK(time_order(zb_h1(8, 32), uniform_costs(8, 10, 13, 6, 0)).makespan() == 32 * 29 + 7 * 17);
}

TEST_CASE("no ranks, chunks or micro-batches, and groups that do not come out even, are refused") {
  CHECK_THROWS_WITH_AS(zb_h1(0, 4), "error: zb_h1 with 0 ranks; expected at least 1 of the ranks",
                       Error);
  CHECK_THROWS_AS(zb_h2(2, 0), Error);
  CHECK_THROWS_AS(zbv(-1, 4), Error);
  CHECK_THROWS_AS(interleaved_zb(2, 0, 4), Error);
  CHECK_THROWS_WITH_AS(interleaved_zb(4, 2, 9),
                       "error: interleaved_zb with 4 ranks and 9 micro-batches; expected "
                       "micro-batches that are a multiple of the 2 rounds (micro-batches / ranks, "
                       "rounded down)",
                       Error);
}

}  // namespace
}  // namespace steptwin
