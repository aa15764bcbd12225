#pragma once

#include <chrono>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "hw/stop.h"

namespace steptwin::hw::cuda {

// How long to wait for what a healthy machine does at once.
struct Patience {
  const Stop& stop;
  std::chrono::nanoseconds deadline;
};

// Asks `done` until it says so: first in quick succession, since most things are over soon, then
// every few microseconds. Throws Stopped when the run is given up.
template <typename Done>
void await(const Stop& stop, Done done) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kQuick{50};
  constexpr std::chrono::microseconds kPause{10};
  const Clock::time_point slow = Clock::now() + kQuick;
  while (!done()) {
    stop.check();
    if (Clock::now() < slow) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kPause);
    }
  }
}

// As above; throws std::runtime_error once the deadline is over.
template <typename Done>
void await(const Patience& patience, std::string_view what, Done done) {
  const auto end = std::chrono::steady_clock::now() + patience.deadline;
  await(patience.stop, [&] {
    if (done()) return true;
    if (std::chrono::steady_clock::now() < end) return false;
    throw std::runtime_error(fmt::format("{} was not over after {} s", what,
                                         std::chrono::duration<double>(patience.deadline).count()));
  });
}

}  // namespace steptwin::hw::cuda
