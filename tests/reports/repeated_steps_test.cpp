#include "reports/repeated_steps.h"

#include <doctest/doctest.h>
#include <vector>

namespace steptwin::reports {
namespace {

TEST_CASE("percentiles are times that were measured, by nearest rank") {
  const RepeatedSteps one = repeated_steps(std::vector<TimeNs>{7});
  CHECK(one.steps == 1);
  CHECK(one.median_ns == 7);
  CHECK(one.p5_ns == 7);
  CHECK(one.p95_ns == 7);
  const RepeatedSteps four = repeated_steps(std::vector<TimeNs>{40, 10, 30, 20});
  CHECK(four.median_ns == 20);  // the smaller of the two in the middle
  CHECK(four.median_step == 3);
  CHECK(four.p5_ns == 10);
  CHECK(four.p95_ns == 40);
  std::vector<TimeNs> hundred;
  for (TimeNs time = 100; time >= 1; --time) hundred.push_back(time);
  const RepeatedSteps many = repeated_steps(hundred);
  CHECK(many.p5_ns == 5);
  CHECK(many.median_ns == 50);
  CHECK(many.p95_ns == 95);
  CHECK(many.median_step == 50);
}

}  // namespace
}  // namespace steptwin::reports
