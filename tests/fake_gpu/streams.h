#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/fake_gpu/include/cuda_runtime_api.h"

namespace steptwin::fake_gpu {

// One recording of an event, which a wait keeps though the event be recorded anew or destroyed.
class Recording {
 public:
  void complete();
  bool is_complete() const;
  void await() const;
  std::int64_t at_ns() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool complete_ = false;
  std::int64_t at_ns_ = 0;
};

// Of the calling thread.
int current_device();

}  // namespace steptwin::fake_gpu

// A stream: a thread that runs what is put on it, in order.
struct CUstream_st {
  explicit CUstream_st(int on_device);
  // Runs what is left first: destroying a stream is no reason to drop its work.
  ~CUstream_st();
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;

  void put(std::function<void()> work);
  bool is_idle() const;

  const int device;

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // the front is under way
  bool over_ = false;
  std::thread worker_;
};

struct CUevent_st {
  bool timed = true;
  std::mutex mutex;
  std::shared_ptr<steptwin::fake_gpu::Recording> latest;  // null: never recorded
};
