#include "hw/host/alarm.h"

#include <sys/prctl.h>
#include <thread>

namespace steptwin::hw {

void Alarm::sleep_until(TimeNs at_ns) {
  const Clock::time_point at = instant(at_ns);
  if (Clock::now() + kMargin < at) {
    std::unique_lock lock(mutex_);
    never_.wait_until(lock, stop_.token(), at - kMargin, [] { return false; });
  }
  while (Clock::now() < at) {
    stop_.check();
    std::this_thread::yield();
  }
  stop_.check();
}

void wake_on_time() {
  prctl(PR_SET_TIMERSLACK, 1UL);
}

}  // namespace steptwin::hw
