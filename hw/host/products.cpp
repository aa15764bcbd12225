#include "hw/host/products.h"

#include <Eigen/Core>
#include <cmath>

namespace steptwin::hw {
namespace {

using Matrix = Eigen::MatrixXf;

constexpr float kSmall = 1e-3F;

}  // namespace

// Random, not zero: some processors are faster with zeros.
struct Products::Matrices {
  Matrix left = Matrix::Random(kProductSize, kProductSize);
  Matrix right = Matrix::Random(kProductSize, kProductSize) * kSmall;
  Matrix result = Matrix::Zero(kProductSize, kProductSize);
};

Products::Products() : matrices_(std::make_unique<Matrices>()) {}
Products::~Products() = default;

void Products::perform(double flops, const Stop& stop) {
  Matrices& own = *matrices_;
  const double columns = std::round(flops / kProductFlops * kProductSize);
  auto left = static_cast<std::int64_t>(columns);
  while (left > 0) {
    stop.check();
    const std::int64_t now = std::min(left, kProductSize);
    own.result.leftCols(now).noalias() = own.left * own.right.leftCols(now);
    left -= now;
  }
}

}  // namespace steptwin::hw
