#include "hw/mpi/patience.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <stop_token>
#include <utility>

namespace steptwin::hw {
namespace {

constexpr int kMachineFailed = 3;

// Ends the process unless it is asked to stop before.
void watch(const std::stop_token& over, std::chrono::nanoseconds most, const std::string& what) {
  std::mutex mutex;
  std::condition_variable_any wakes;
  std::unique_lock lock(mutex);
  wakes.wait_for(lock, over, most, [&over] { return over.stop_requested(); });
  if (over.stop_requested()) return;
  const std::string line =
      fmt::format("error: {} for {:.1f} s\n", what, std::chrono::duration<double>(most).count());
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  std::_Exit(kMachineFailed);
}

}  // namespace

Patience::Patience(std::chrono::nanoseconds most, std::string what)
    : watch_([most, what = std::move(what)](const std::stop_token& over) {
        watch(over, most, what);
      }) {}

}  // namespace steptwin::hw
