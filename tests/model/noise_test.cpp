#include "model/noise.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

#include "tests/scenarios.h"

namespace steptwin {
namespace {

Scenario noisy(double sigma, double imbalance) {
  Scenario scenario = stage_scenario("1f1b", 4, 1, 8, 1, 1, 1, 1);
  scenario.parallel.expert = 4;
  scenario.noise.compute_sigma = sigma;
  scenario.noise.moe_imbalance = imbalance;
  return scenario;
}

Kernel kernel_of(Part part, std::int32_t micro, KernelKind kind = KernelKind::compute) {
  Kernel kernel;
  kernel.kind = kind;
  kernel.part = part;
  kernel.stage = 1;
  kernel.micro = micro;
  kernel.layer = 0;
  return kernel;
}

TEST_CASE("without noise every factor is exactly 1") {
  const Noise noise(noisy(0, 0));
  CHECK(noise.factor(kernel_of(Part::experts, 0), 5, 1, 1) == 1);
  CHECK_FALSE(peers_differ(noisy(0, 0)));
  CHECK(Noise::largest_factor(noisy(0, 0)) == 1);
}

// Of 40,000 draws: the mean of the factors is 1, that of their logarithms -sigma^2/2, and the
// standard deviation of the logarithms sigma, each within five standard errors.
TEST_CASE("compute noise is lognormal of mean 1") {
  constexpr double kSigma = 0.2;
  constexpr int kDraws = 40'000;
  const Noise noise(noisy(kSigma, 0));
  double sum = 0;
  double log_sum = 0;
  double log_squares = 0;
  for (int micro = 0; micro < kDraws; ++micro) {
    const double factor = noise.factor(kernel_of(Part::attention, micro), 5, 1, 1);
    CHECK(factor > 0);
    sum += factor;
    log_sum += std::log(factor);
    log_squares += std::log(factor) * std::log(factor);
  }
  const double mean_log = log_sum / kDraws;
  const double error = kSigma / std::sqrt(kDraws);
  CHECK(std::abs(sum / kDraws - 1) < 5 * error * 1.1);
  CHECK(std::abs(mean_log + kSigma * kSigma / 2) < 5 * error);
  CHECK(std::abs(std::sqrt(log_squares / kDraws - mean_log * mean_log) - kSigma) < 5 * error);
}

TEST_CASE("a factor depends on the seed and on what the kernel is, and communication has none") {
  const Noise noise(noisy(0.2, 0));
  const Kernel kernel = kernel_of(Part::attention, 3);
  const double factor = noise.factor(kernel, 5, 1, 1);
  CHECK(factor == Noise(noisy(0.2, 0)).factor(kernel, 5, 1, 1));
  CHECK(factor != noise.factor(kernel, 6, 1, 2));
  CHECK(factor != noise.factor(kernel_of(Part::attention, 4), 5, 1, 1));
  CHECK(factor != noise.factor(kernel_of(Part::experts, 3), 5, 1, 1));
  Scenario other = noisy(0.2, 0);
  other.noise.seed = 2;
  CHECK(factor != Noise(other).factor(kernel, 5, 1, 1));
  CHECK(noise.factor(kernel_of(Part::dispatch, 3, KernelKind::all_to_all), 5, 1, 1) == 1);
}

TEST_CASE("the loads of peers have mean 1, and all-to-alls take the largest of them") {
  const Scenario scenario = noisy(0, 0.5);
  const Noise noise(scenario);
  CHECK(peers_differ(scenario));
  for (std::int32_t micro = 0; micro < 20; ++micro) {
    std::vector<double> loads;
    for (std::int32_t peer = 0; peer < 4; ++peer) {
      loads.push_back(noise.factor(kernel_of(Part::experts, micro), 4 + peer, 1, peer));
      Kernel backward = kernel_of(Part::experts, micro);
      backward.step = StepType::bwd;
      CHECK(noise.factor(backward, 4 + peer, 1, peer) == loads.back());
    }
    CHECK(std::accumulate(loads.begin(), loads.end(), 0.0) == doctest::Approx(4));
    const double largest = *std::max_element(loads.begin(), loads.end());
    CHECK(largest > 1);
    for (const Part part : {Part::dispatch, Part::combine}) {
      CHECK(noise.factor(kernel_of(part, micro, KernelKind::all_to_all), 6, 1, 2) == largest);
    }
    CHECK(noise.factor(kernel_of(Part::attention, micro), 6, 1, 2) == 1);
  }
}

TEST_CASE("a straggler slows down the compute of one rank") {
  Scenario scenario = noisy(0, 0);
  scenario.noise.straggler_rank = 6;
  scenario.noise.straggler_factor = 2.5;
  const Noise noise(scenario);
  CHECK(noise.factor(kernel_of(Part::mlp, 0), 6, 1, 2) == 2.5);
  CHECK(noise.factor(kernel_of(Part::mlp, 0), 5, 1, 1) == 1);
  CHECK(Noise::largest_factor(scenario) == 2.5);
}

}  // namespace
}  // namespace steptwin
