#include "hw/calibrate/product_rate.h"

#include <algorithm>
#include <vector>

#include "hw/host/clock.h"
#include "hw/host/products.h"

namespace steptwin::hw {

double product_rate(std::chrono::milliseconds effort, const Stop& stop) {
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
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

}  // namespace steptwin::hw
