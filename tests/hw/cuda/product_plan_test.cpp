#include "hw/cuda/product_plan.h"

#include <doctest/doctest.h>

namespace steptwin::hw::cuda {
namespace {

using Plan = std::vector<PlannedProducts>;

const std::vector<MeasuredProduct> kMeasured = {{128, 3}, {256, 10}, {512, 50}};

TEST_CASE("products fill a duration from the largest down") {
  CHECK(plan_products(kMeasured, 100, 1) == Plan{{512, 2}});
  // 167 = 3 x 50 + 1 x 10 + 7, of which the smallest takes 6.
  CHECK(plan_products(kMeasured, 167, 1) == Plan{{512, 3}, {256, 1}, {128, 2}});
  CHECK(plan_products(kMeasured, 9, 1) == Plan{{128, 3}});
  CHECK(plan_products(kMeasured, 5, 1) == Plan{{128, 2}});
}

TEST_CASE("no product takes more than a launch's share, if one is small enough") {
  CHECK(plan_products(kMeasured, 100, 3) == Plan{{256, 10}});
  CHECK(plan_products(kMeasured, 100, 100) == Plan{{128, 33}});
}

TEST_CASE("of next to nothing there is no product") {
  CHECK(plan_products(kMeasured, 1, 1).empty());
  CHECK(plan_products(kMeasured, 0, 1).empty());
}

}  // namespace
}  // namespace steptwin::hw::cuda
