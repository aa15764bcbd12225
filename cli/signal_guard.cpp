#include "cli/signal_guard.h"

#include <array>
#include <unistd.h>
#include <utility>

namespace steptwin::cli {
namespace {

// The last one, which ends a process as well, is also what the guard wakes its thread with.
constexpr int kWakeUp = SIGUSR1;
constexpr int kSignalled = 128;
constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGHUP, kWakeUp};

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalGuard::SignalGuard(std::function<void()> clean_up) : clean_up_(std::move(clean_up)) {
  sigemptyset(&signals_);
  for (const int signal : kSignals) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
  thread_ = std::thread([this] { wait_for_signals(); });
}

SignalGuard::~SignalGuard() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  pthread_kill(thread_.native_handle(), kWakeUp);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void SignalGuard::wait_for_signals() {
  int signal = 0;
  while (sigwait(&signals_, &signal) == 0) {
    const std::lock_guard lock(mutex_);
    if (over_) {
      // It came too late for us, and waits for the mask to be as it was.
      if (signal != kWakeUp) kill(getpid(), signal);
      return;
    }
    if (is_ignored(signal)) continue;
    clean_up_();
    sigset_t this_one;
    sigemptyset(&this_one);
    sigaddset(&this_one, signal);
    pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
    kill(getpid(), signal);  // all other threads block it: it ends the process before kill returns
    _exit(kSignalled + signal);
  }
}

}  // namespace steptwin::cli
