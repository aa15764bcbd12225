#pragma once

#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace steptwin::cli {

// While it lives, SIGINT, SIGTERM, SIGHUP and SIGUSR1 first run `clean_up` and then end the process
// as they would have: its parent sees it ended by the signal, a shell as status 128 + n. A signal
// that the process was told to ignore, as nohup does, stays ignored.
//
// A thread of its own waits for them, so that `clean_up` may do anything; the thread that made the
// guard, and those it starts from then on, do not get them. Threads made before must block them.
class SignalGuard {
 public:
  explicit SignalGuard(std::function<void()> clean_up);
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  // As long as it is held no signal is acted on. Whoever asks for it after one never gets it.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }

 private:
  void wait_for_signals();

  std::function<void()> clean_up_;
  sigset_t signals_{};
  sigset_t mask_before_{};
  std::mutex mutex_;
  bool over_ = false;  // with mutex_ held
  std::thread thread_;
};

}  // namespace steptwin::cli
