#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "hw/stop.h"

namespace steptwin::hw {

// Where threads wait for each other, over and over. The last to come does what has to be done
// between before all go on together. Whoever waits throws Stopped when the run is given up.
class Gate {
 public:
  Gate(std::size_t threads, const Stop& stop) : threads_(threads), stop_(stop) {}

  template <typename Between>
  void pass(Between&& between) {
    std::unique_lock lock(mutex_);
    stop_.check();
    const std::uint64_t before = passed_;
    if (++waiting_ == threads_) {
      between();
      waiting_ = 0;
      ++passed_;
      changed_.notify_all();
      return;
    }
    if (!changed_.wait(lock, stop_.token(), [&] { return passed_ != before; })) throw Stopped();
  }

 private:
  const std::size_t threads_;
  const Stop& stop_;
  std::mutex mutex_;  // for what follows
  std::condition_variable_any changed_;
  std::size_t waiting_ = 0;
  std::uint64_t passed_ = 0;
};

}  // namespace steptwin::hw
