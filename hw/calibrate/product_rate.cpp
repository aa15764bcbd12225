#include "hw/calibrate/product_rate.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <thread>
#include <vector>

#include "hw/host/clock.h"
#include "hw/host/products.h"
#include "model/median.h"

namespace steptwin::hw {
namespace {

double rate_of_this_thread(std::chrono::milliseconds effort, const Stop& stop) {
  constexpr double kFlops = 4 * kProductFlops;
  constexpr std::size_t kFewest = 5;
  Products products;
  products.perform(kFlops, stop);  // first touch of the matrices
  std::vector<double> rates;
  const Clock::time_point end = Clock::now() + effort;
  while (rates.size() < kFewest || Clock::now() < end) {
    const Clock::time_point begin = Clock::now();
    products.perform(kFlops, stop);
    const std::chrono::duration<double> took = Clock::now() - begin;
    rates.push_back(kFlops / took.count());
  }
  return median(std::move(rates)).value_or(0);
}

}  // namespace

double product_rate(std::chrono::milliseconds effort, int threads, const Stop& stop) {
  std::vector<double> rates(static_cast<std::size_t>(std::max(threads, 1)), 0);
  {
    std::vector<std::jthread> others;
    for (std::size_t index = 1; index < rates.size(); ++index) {
      others.emplace_back([&, index] {
        try {
          rates[index] = rate_of_this_thread(effort, stop);
        } catch (const Stopped&) {
          // Whoever asked throws it, below.
        }
      });
    }
    rates[0] = rate_of_this_thread(effort, stop);
  }
  stop.check();
  return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

}  // namespace steptwin::hw
