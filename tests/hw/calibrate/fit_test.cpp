#include "hw/calibrate/fit.h"

#include <doctest/doctest.h>
#include <vector>

namespace steptwin::hw {
namespace {

using doctest::Approx;

// What 10 us and then 2e9 per second take.
double seconds_of(double amount) {
  return 10e-6 + amount / 2e9;
}

std::vector<Sample> on_the_line() {
  std::vector<Sample> samples;
  for (const double amount : {64.0, 1e4, 1e5, 1e6, 1e7}) {
    for (int repeat = 0; repeat < 4; ++repeat) samples.push_back({amount, seconds_of(amount)});
  }
  return samples;
}

TEST_CASE("fit: a line is found again, over five orders of magnitude") {
  const MachineFit fit = fit_line(on_the_line());
  CHECK(fit.latency_us == Approx(10).epsilon(1e-9));
  CHECK(fit.per_second == Approx(2e9).epsilon(1e-9));
  CHECK(fit.residual < 1e-12);
  CHECK(fit.samples == 20);
}

TEST_CASE("fit: runs that were interrupted do not move it") {
  std::vector<Sample> samples = on_the_line();
  for (std::size_t index = 0; index < samples.size(); index += 4) samples[index].seconds *= 10;
  samples[1].seconds *= 1000;
  const MachineFit fit = fit_line(samples);
  CHECK(fit.latency_us == Approx(10).epsilon(1e-6));
  CHECK(fit.per_second == Approx(2e9).epsilon(1e-6));
  CHECK(fit.residual < 1e-6);  // the median
}

// Rows (1 / s, a / s) of (a, s) = (1, 1) and (2, 3): the line 2 a - 1. Without its latency the
// slope x is where (x - 1)^2 + (2 x / 3 - 1)^2 is least, 15 / 13; neither residual, 2 / 13 and
// 3 / 13, is beyond 1.345 * 1.4826 times their median, 5 / 26.
TEST_CASE("fit: a latency that would be negative is 0, and the rate fits alone") {
  const MachineFit fit = fit_line(std::vector<Sample>{{1, 1}, {2, 3}});
  CHECK(fit.latency_us == 0);
  CHECK(fit.per_second == Approx(13.0 / 15));
  CHECK(fit.residual == Approx(5.0 / 26));
}

// (1, 2) and (2, 1): (l / 2 - 1)^2 + (l - 1)^2 is least at l = 1.2: residuals 0.4 and 0.2.
TEST_CASE("fit: what gets shorter with the amount has a latency alone") {
  const MachineFit fit = fit_line(std::vector<Sample>{{1, 2}, {2, 1}});
  CHECK(fit.latency_us == Approx(1.2e6));
  CHECK(fit.per_second == 0);
  CHECK(fit.residual == Approx(0.3));
}

TEST_CASE("fit: of equal amounts nothing tells latency and rate apart, but the sum is right") {
  const MachineFit fit = fit_line(std::vector<Sample>{{4, 2}, {4, 2}, {4, 2}});
  REQUIRE(fit.per_second > 0);
  CHECK(fit.latency_us * 1e-6 + 4 / fit.per_second == Approx(2));
  CHECK(fit.residual < 1e-12);
  const MachineFit none = fit_line(std::vector<Sample>{{0, 2}, {0, 2}});
  CHECK(none.latency_us == Approx(2e6));
  CHECK(none.per_second == 0);
}

TEST_CASE("figure: the median, and the median of the distances from it") {
  const MachineFigure figure = figure_of({5e-6, 1e-6, 2e-6, 100e-6, 3e-6});
  CHECK(figure.us == Approx(3));
  CHECK(figure.residual_us == Approx(2));  // of 2 2 1 97 0
  CHECK(figure.samples == 5);
  const MachineFigure one = figure_of({7e-6});
  CHECK(one.us == Approx(7));
  CHECK(one.residual_us == 0);
}

}  // namespace
}  // namespace steptwin::hw
