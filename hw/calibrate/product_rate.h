#pragma once

#include <chrono>

#include "hw/stop.h"

namespace steptwin::hw {

// Floating-point operations per second of one core in the products of hw/host/products.h: the
// median over short runs that take about `effort` in all.
double product_rate(std::chrono::milliseconds effort, const Stop& stop);

}  // namespace steptwin::hw
