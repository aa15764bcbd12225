#pragma once

#include <chrono>

#include "hw/stop.h"

namespace steptwin::hw {

// Floating-point operations per second of one core in the products of hw/host/products.h while
// `threads` do products at once: the mean over the threads of the median over short runs, which
// take about `effort` in all.
double product_rate(std::chrono::milliseconds effort, int threads, const Stop& stop);

}  // namespace steptwin::hw
