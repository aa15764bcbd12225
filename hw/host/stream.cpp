#include "hw/host/stream.h"

#include <exception>
#include <utility>

#include "hw/host/alarm.h"

namespace steptwin::hw {

HostStream::HostStream(Stop& stop)
    : stop_(stop), worker_([this](const std::stop_token& over) { run(over); }) {}

HostStream::~HostStream() = default;

void HostStream::reset() {
  const std::lock_guard lock(mutex_);
  appended_ = passed_ = 0;
}

void HostStream::end() {
  worker_.request_stop();
  if (worker_.joinable()) worker_.join();
}

void HostStream::append(std::function<void()> entry) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(entry));
  ++appended_;
  queue_changed_.notify_one();
}

std::int32_t HostStream::appended() const {
  const std::lock_guard lock(mutex_);
  return appended_;
}

std::int32_t HostStream::passed() const {
  const std::lock_guard lock(mutex_);
  return passed_;
}

void HostStream::await_passed(std::int32_t count) {
  std::unique_lock lock(mutex_);
  const auto there = [&] { return passed_ >= count; };
  if (!passed_changed_.wait(lock, stop_.token(), there)) throw Stopped();
}

// False once the stream is over.
bool HostStream::run_next(const std::stop_token& over) {
  std::function<void()> entry;
  {
    std::unique_lock lock(mutex_);
    if (!queue_changed_.wait(lock, over, [&] { return !queue_.empty(); })) return false;
    entry = std::move(queue_.front());
    queue_.pop_front();
  }
  entry();
  const std::lock_guard lock(mutex_);
  ++passed_;
  passed_changed_.notify_all();
  return true;
}

void HostStream::run(const std::stop_token& over) {
  wake_on_time();
  try {
    while (run_next(over)) {
    }
  } catch (const Stopped&) {
    // Whoever stopped the run has said why.
  } catch (const std::exception& error) {
    stop_.request(error.what());
  }
}

}  // namespace steptwin::hw
