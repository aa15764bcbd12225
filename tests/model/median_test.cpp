#include "model/median.h"

#include <cstdint>
#include <doctest/doctest.h>

using namespace steptwin;

TEST_CASE("the median is the middle of the sorted values") {
  CHECK(median(std::vector<double>{3, 1, 2}) == 2);
  CHECK(median(std::vector<double>{7}) == 7);
  CHECK(median(std::vector<double>{5, 5, 1, 9, 5}) == 5);
}

TEST_CASE("the median of an even count is the mean of the two in the middle") {
  CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
  CHECK(median(std::vector<double>{-1, 8}) == 3.5);
  CHECK(median(std::vector<std::int64_t>{10, 1, 4, 7}) == 5);
}

TEST_CASE("there is no median of nothing") {
  CHECK(!median(std::vector<double>{}));
}
