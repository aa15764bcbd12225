#include "hw/calibrate/product_rate.h"

#include <doctest/doctest.h>

using namespace steptwin::hw;

TEST_CASE("a rate is measured by one thread or several") {
  constexpr std::chrono::milliseconds kEffort{5};
  const Stop stop;
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    CHECK(product_rate(kEffort, threads, stop) > 1e6);
  }
}

TEST_CASE("a measurement of several threads that is given up ends by throwing") {
  Stop stop;
  stop.request("enough");
  CHECK_THROWS_AS(product_rate(std::chrono::milliseconds{5}, 3, stop), Stopped);
}
