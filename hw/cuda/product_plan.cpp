#include "hw/cuda/product_plan.h"

#include <algorithm>
#include <cmath>

namespace steptwin::hw::cuda {

std::vector<PlannedProducts> plan_products(std::span<const MeasuredProduct> measured,
                                           TimeNs duration_ns, std::int32_t launches) {
  std::vector<PlannedProducts> plan;
  auto left_ns = static_cast<double>(duration_ns);
  const double share_ns = left_ns / std::max(launches, 1);
  for (std::size_t index = measured.size(); index-- > 0;) {
    const MeasuredProduct& product = measured[index];
    const bool smallest = index == 0;
    if (!smallest && product.took_ns > share_ns) continue;
    const double fit = left_ns / product.took_ns;
    const auto count = static_cast<std::int32_t>(smallest ? std::round(fit) : std::floor(fit));
    if (count <= 0) continue;
    plan.push_back({product.size, count});
    left_ns -= count * product.took_ns;
  }
  return plan;
}

}  // namespace steptwin::hw::cuda
