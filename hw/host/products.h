#pragma once

#include <cstdint>
#include <memory>

#include "hw/stop.h"

namespace steptwin::hw {

// Real work for a CPU: products of square matrices of single precision. One takes 2 n^3
// floating-point operations.
inline constexpr std::int64_t kProductSize = 192;
inline constexpr double kProductFlops = 2.0 * kProductSize * kProductSize * kProductSize;

// The matrices that one thread multiplies.
class Products {
 public:
  Products();
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  // Performs so many floating-point operations, to the nearest column of a product. Throws Stopped
  // within a product when the run is given up.
  void perform(double flops, const Stop& stop);

 private:
  struct Matrices;
  std::unique_ptr<Matrices> matrices_;
};

}  // namespace steptwin::hw
