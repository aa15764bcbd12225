#pragma once

#include <chrono>

#include "model/units.h"

namespace steptwin::hw {

using Clock = std::chrono::steady_clock;

// On the one clock of all host devices of a machine.
inline TimeNs host_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

inline Clock::time_point instant(TimeNs ns) {
  return Clock::time_point(std::chrono::nanoseconds(ns));
}

}  // namespace steptwin::hw
