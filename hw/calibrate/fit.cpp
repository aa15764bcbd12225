#include "hw/calibrate/fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "model/median.h"

namespace steptwin::hw {
namespace {

constexpr double kMicroseconds = 1e6;
constexpr double kLeast = 1e-9;  // of a residual that is not 0

// Relative residuals of the line (latency, seconds per amount).
Eigen::VectorXd residuals_of(const Eigen::MatrixXd& rows, const Eigen::Vector2d& line) {
  return rows * line - Eigen::VectorXd::Ones(rows.rows());
}

double median_of_absolute(const Eigen::VectorXd& values) {
  std::vector<double> absolute;
  for (const double value : values) absolute.push_back(std::abs(value));
  return median(std::move(absolute)).value_or(0);
}

Eigen::VectorXd huber_weights(const Eigen::VectorXd& residuals) {
  constexpr double kOfNormal = 1.4826;
  constexpr double kTuning = 1.345;
  const double limit = kTuning * std::max(kOfNormal * median_of_absolute(residuals), kLeast);
  return residuals.unaryExpr([limit](double residual) {
    return std::min(1.0, limit / std::max(std::abs(residual), kLeast));
  });
}

Eigen::Vector2d solved(const Eigen::MatrixXd& rows, const Eigen::VectorXd& weights) {
  const Eigen::VectorXd root = weights.cwiseSqrt();
  const Eigen::MatrixXd left = root.asDiagonal() * rows;
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(rows.rows());
  const Eigen::VectorXd right = root.asDiagonal() * ones;
  Eigen::Vector2d line = left.colPivHouseholderQr().solve(right);
  for (const Eigen::Index out : {Eigen::Index{0}, Eigen::Index{1}}) {
    if (line[out] >= 0) continue;
    // The best that is not negative has this one at 0: the other alone.
    const Eigen::Index kept = 1 - out;
    line[out] = 0;
    line[kept] = std::max(0.0, left.col(kept).dot(right) / left.col(kept).squaredNorm());
    break;
  }
  return line;
}

}  // namespace

MachineFit fit_line(std::span<const Sample> samples) {
  const auto count = static_cast<Eigen::Index>(samples.size());
  assert(count >= 2);
  Eigen::MatrixXd rows(count, 2);
  for (Eigen::Index row = 0; row < count; ++row) {
    const Sample& sample = samples[static_cast<std::size_t>(row)];
    rows(row, 0) = 1 / sample.seconds;
    rows(row, 1) = sample.amount / sample.seconds;
  }
  constexpr int kRounds = 20;
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(count);
  Eigen::Vector2d line = solved(rows, weights);
  for (int round = 0; round < kRounds; ++round) {
    weights = huber_weights(residuals_of(rows, line));
    line = solved(rows, weights);
  }
  MachineFit fit;
  fit.latency_us = line[0] * kMicroseconds;
  fit.per_second = line[1] > 0 ? 1 / line[1] : 0;
  fit.residual = median_of_absolute(residuals_of(rows, line));
  fit.samples = static_cast<std::int32_t>(count);
  return fit;
}

MachineFigure figure_of(std::vector<double> seconds) {
  const auto count = static_cast<std::int32_t>(seconds.size());
  const double middle = median(seconds).value_or(0);
  for (double& each : seconds) each = std::abs(each - middle);
  return {middle * kMicroseconds, median(std::move(seconds)).value_or(0) * kMicroseconds, count};
}

}  // namespace steptwin::hw
