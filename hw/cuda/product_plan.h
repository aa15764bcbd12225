#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/units.h"

namespace steptwin::hw::cuda {

// A product of two square matrices of this size, and what it takes alone on the device.
struct MeasuredProduct {
  std::int32_t size = 0;
  double took_ns = 0;
};

struct PlannedProducts {
  std::int32_t size = 0;
  std::int32_t count = 0;

  friend bool operator==(const PlannedProducts&, const PlannedProducts&) = default;
};

// Products that together take the duration, to half of what the smallest takes, in at least so many
// launches if the smallest is small enough: as many as fit of the largest that is no longer than a
// launch's share, then of the next smaller, and so on. `measured` ascends.
std::vector<PlannedProducts> plan_products(std::span<const MeasuredProduct> measured,
                                           TimeNs duration_ns, std::int32_t launches);

}  // namespace steptwin::hw::cuda
