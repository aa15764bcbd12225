#include "hw/calibrate/disturbance.h"

#include <cmath>
#include <doctest/doctest.h>

using namespace steptwin;
using namespace steptwin::hw;

TEST_CASE("core ticks: all eight kinds are summed, the last is what was stolen") {
  const auto ticks = core_ticks("cpu  100 20 3 4000 50 0 6 70 9 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  REQUIRE(ticks);
  CHECK(ticks->all == 100 + 20 + 3 + 4000 + 50 + 0 + 6 + 70);
  CHECK(ticks->stolen == 70);
}

TEST_CASE("core ticks: of other text there are none") {
  for (const char* text : {"", "cpu", "cpu ", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 3 4 5 6 7",
                           "cpu  1 2 3 x 5 6 7 8", "cpu  1 2 3 4 5 6 7 99999999999999999999"}) {
    CAPTURE(text);
    CHECK(!core_ticks(text));
  }
}

TEST_CASE("a disturbance is small up to 3 % of the rate, either way, and 1 % stolen") {
  CHECK(is_small({0, 0}));
  CHECK(is_small({0.03, 0.01}));
  CHECK(is_small({-0.03, 0.01}));
  CHECK(!is_small({0.031, 0}));
  CHECK(!is_small({-0.031, 0}));
  CHECK(!is_small({0, 0.011}));
}

TEST_CASE("a watch measures a rate, and what others took is a share") {
  const Stop stop;
  const DisturbanceWatch watch(stop);
  CHECK(watch.flops_per_second() > 1e6);
  const Disturbance disturbance = watch.end();
  CHECK(std::isfinite(disturbance.rate_change));
  CHECK(disturbance.rate_change > -1);
  CHECK(disturbance.stolen >= 0);
  CHECK(disturbance.stolen <= 1);
}

TEST_CASE("a watch that is given up ends by throwing") {
  Stop stop;
  stop.request("enough");
  CHECK_THROWS_AS(DisturbanceWatch{stop}, Stopped);
}
