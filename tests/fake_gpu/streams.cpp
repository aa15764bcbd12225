#include "tests/fake_gpu/streams.h"

#include <utility>

namespace steptwin::fake_gpu {

void Recording::complete() {
  const std::lock_guard lock(mutex_);
  complete_ = true;
  at_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
               .count();
  changed_.notify_all();
}

bool Recording::is_complete() const {
  const std::lock_guard lock(mutex_);
  return complete_;
}

void Recording::await() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return complete_; });
}

std::int64_t Recording::at_ns() const {
  const std::lock_guard lock(mutex_);
  return at_ns_;
}

}  // namespace steptwin::fake_gpu

CUstream_st::CUstream_st(int on_device) : device(on_device), worker_([this] { run(); }) {}

CUstream_st::~CUstream_st() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  worker_.join();
}

void CUstream_st::put(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  changed_.notify_all();
}

bool CUstream_st::is_idle() const {
  const std::lock_guard lock(mutex_);
  return queue_.empty();
}

void CUstream_st::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return over_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::function<void()> work = std::move(queue_.front());
    lock.unlock();
    work();
    lock.lock();
    queue_.pop_front();
  }
}
