#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "hw/stop.h"

namespace steptwin::hw {

// A stream of a host device: a thread that runs what is appended, one after the other.
class HostStream {
 public:
  explicit HostStream(Stop& stop);
  // Ends the thread; what it has not begun is dropped.
  ~HostStream();
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;

  // Nothing is in flight: the counts begin at 0 again.
  void reset();
  // Ends the thread, once the entry it is in has ended.
  void end();

  // An entry that throws stops the run.
  void append(std::function<void()> entry);

  std::int32_t appended() const;
  std::int32_t passed() const;
  // Returns when so many entries have been passed; throws Stopped.
  void await_passed(std::int32_t count);
  void await_all() { await_passed(appended()); }

 private:
  void run(const std::stop_token& over);
  bool run_next(const std::stop_token& over);

  Stop& stop_;
  mutable std::mutex mutex_;  // for what follows
  std::condition_variable_any queue_changed_;
  std::condition_variable_any passed_changed_;
  std::deque<std::function<void()>> queue_;
  std::int32_t appended_ = 0;
  std::int32_t passed_ = 0;
  std::jthread worker_;
};

}  // namespace steptwin::hw
