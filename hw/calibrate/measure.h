#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "model/machine.h"

namespace steptwin::hw {

// How much effort calibration makes, and whom it tells what it is doing.
struct CalibrateOptions {
  double effort = 1;  // 1: some ten seconds
  std::function<void(const std::string& what)> begins = [](const std::string&) {};
};

// Measures this machine as the host backend uses it. Says in Machine::noise if what should take
// the same time again and again does not.
Machine calibrate_host(const CalibrateOptions& options);

}  // namespace steptwin::hw
