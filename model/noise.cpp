#include "model/noise.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <numeric>

namespace steptwin {
namespace {

constexpr double kMostDeviations = 6;

// The finalizer of splitmix64: every bit of the input bears on every bit of the result.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::uint64_t key_of(std::initializer_list<std::int64_t> numbers) {
  std::uint64_t key = 0;
  for (const std::int64_t number : numbers) key = mixed(key ^ static_cast<std::uint64_t>(number));
  return key;
}

// In (0, 1).
double uniform(std::uint64_t key) {
  constexpr double kStep = 1.0 / 9007199254740992.0;  // 2^-53
  return (static_cast<double>(mixed(key) >> 11U) + 0.5) * kStep;
}

// Box and Muller's transform of two uniform numbers.
double normal(std::uint64_t key) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(key)));
  const double z = radius * std::cos(2.0 * std::numbers::pi * uniform(mixed(key) ^ 1U));
  return std::clamp(z, -kMostDeviations, kMostDeviations);
}

double lognormal(std::uint64_t key, double sigma) {
  return std::exp(sigma * normal(key) - sigma * sigma / 2);
}

// What numbers are drawn for.
constexpr std::int64_t kComputeNoise = 1;
constexpr std::int64_t kRouting = 2;

}  // namespace

Noise::Noise(const Scenario& scenario)
    : keys_(scenario.noise),
      peers_(scenario.parallel.expert),
      quiet_(keys_.compute_sigma == 0 && keys_.straggler_rank < 0 && keys_.moe_imbalance == 0) {}

std::vector<double> Noise::loads(const Kernel& kernel, std::int32_t pipeline_rank) const {
  std::vector<double> loads;
  loads.reserve(static_cast<std::size_t>(peers_));
  for (std::int32_t peer = 0; peer < peers_; ++peer) {
    loads.push_back(lognormal(key_of({keys_.seed, kRouting, pipeline_rank, kernel.stage,
                                      kernel.micro, kernel.layer, peer}),
                              keys_.moe_imbalance));
  }
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / peers_;
  for (double& load : loads) load /= mean;
  return loads;
}

double Noise::factor(const Kernel& kernel, std::int32_t rank, std::int32_t pipeline_rank,
                     std::int32_t peer) const {
  if (quiet_) return 1;
  double factor = 1;
  const bool routed =
      kernel.part == Part::experts || kernel.part == Part::dispatch || kernel.part == Part::combine;
  if (routed && keys_.moe_imbalance > 0) {
    const std::vector<double> all = loads(kernel, pipeline_rank);
    factor *= kernel.part == Part::experts ? all[static_cast<std::size_t>(peer)]
                                           : *std::max_element(all.begin(), all.end());
  }
  if (kernel.kind != KernelKind::compute) return factor;
  if (rank == keys_.straggler_rank) factor *= keys_.straggler_factor;
  if (keys_.compute_sigma == 0) return factor;
  return factor *
         lognormal(key_of({keys_.seed, kComputeNoise, rank, static_cast<std::int64_t>(kernel.step),
                           kernel.stage, kernel.micro, kernel.layer,
                           static_cast<std::int64_t>(kernel.part)}),
                   keys_.compute_sigma);
}

double Noise::largest_factor(const Scenario& scenario) {
  const NoiseKeys& keys = scenario.noise;
  return std::exp(keys.compute_sigma * kMostDeviations) *
         std::max(1.0, keys.straggler_rank < 0 ? 1.0 : keys.straggler_factor) *
         (keys.moe_imbalance > 0 ? static_cast<double>(scenario.parallel.expert) : 1.0);
}

bool peers_differ(const Scenario& scenario) {
  const NoiseKeys& keys = scenario.noise;
  return scenario.parallel.expert > 1 &&
         (keys.compute_sigma > 0 || keys.straggler_rank >= 0 || keys.moe_imbalance > 0);
}

}  // namespace steptwin
