#pragma once

#include <condition_variable>
#include <mutex>

#include "hw/host/clock.h"
#include "hw/stop.h"

namespace steptwin::hw {

// Lets a thread wait for an instant without using a core.
//
// A thread that sleeps until an instant wakes some 50 to 100 us after it, and later on a busy
// machine. So it sleeps until kMargin before and yields from then on: other threads go first, and
// of a kernel of 5 ms this is 1 %.
class Alarm {
 public:
  static constexpr std::chrono::microseconds kMargin{60};

  explicit Alarm(const Stop& stop) : stop_(stop) {}

  // Throws Stopped as soon as the run is given up.
  void sleep_until(TimeNs at_ns);

 private:
  const Stop& stop_;
  std::mutex mutex_;
  std::condition_variable_any never_;
};

// Asks the system to wake the calling thread on time, not some 50 us later to save wake-ups.
void wake_on_time();

}  // namespace steptwin::hw
