#pragma once

#include <exception>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace steptwin::hw {

// Thrown by whatever waits when the run is being given up; the reasons are with the Stop.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "the run was given up"; }
};

// The end of a run before its end: whoever finds a reason requests it, and everything that waits
// comes loose and throws Stopped. Safe to use from any thread.
class Stop {
 public:
  void request(std::string reason) {
    const std::lock_guard lock(mutex_);
    reasons_.push_back(std::move(reason));
    source_.request_stop();
  }
  bool requested() const { return source_.stop_requested(); }
  void check() const {
    if (requested()) throw Stopped();
  }
  std::stop_token token() const { return source_.get_token(); }
  // In the order in which they were found.
  std::vector<std::string> reasons() const {
    const std::lock_guard lock(mutex_);
    return reasons_;
  }

 private:
  mutable std::mutex mutex_;
  std::stop_source source_;
  std::vector<std::string> reasons_;
};

}  // namespace steptwin::hw
