#include "cli/signal_guard.h"

#include <atomic>
#include <csignal>
#include <doctest/doctest.h>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace steptwin::cli {
namespace {

// What becomes of a process that does this: its exit status, or 128 + the signal that ended it. The
// test's own handlers are not for it.
int status_of(const std::function<int()>& work) {
  const pid_t process = fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) std::signal(signal, SIG_DFL);
    _exit(work());
  }
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void send_and_wait(int signal) {
  kill(getpid(), signal);
  usleep(100'000);
}

TEST_CASE("a signal runs the clean-up and then ends the process") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    CAPTURE(signal);
    int ends[2] = {-1, -1};
    REQUIRE(pipe(ends) == 0);
    CHECK(status_of([&] {
            const SignalGuard guard([&] { REQUIRE(write(ends[1], "x", 1) == 1); });
            kill(getpid(), signal);
            pause();
            return 0;
          }) == 128 + signal);
    close(ends[1]);
    char said[2] = {};
    CHECK(read(ends[0], said, 2) == 1);  // once
    close(ends[0]);
  }
}

TEST_CASE("a signal that the process ignores stays ignored") {
  CHECK(status_of([] {
          std::signal(SIGINT, SIG_IGN);
          std::atomic<int> cleaned = 0;
          const SignalGuard guard([&] { ++cleaned; });
          send_and_wait(SIGINT);
          return cleaned.load();
        }) == 0);
}

TEST_CASE("while the guard is held nothing is cleaned, and afterwards the process ends") {
  CHECK(status_of([] {
          std::atomic<int> cleaned = 0;
          SignalGuard guard([&] { ++cleaned; });
          {
            const auto held = guard.hold();
            send_and_wait(SIGTERM);
            if (cleaned > 0) return 1;
          }
          pause();
          return 2;
        }) == 128 + SIGTERM);
}

TEST_CASE("a guard that ends leaves signals as they were") {
  CHECK(status_of([] {
          for (int round = 0; round < 100; ++round) SignalGuard([] {});
          return 0;
        }) == 0);
  CHECK(status_of([] {
          {
            const SignalGuard guard([] {});
          }
          kill(getpid(), SIGTERM);
          return 0;
        }) == 128 + SIGTERM);
}

TEST_CASE("a signal that comes while the guard ends is not lost") {
  for (int round = 0; round < 50; ++round) {
    CHECK(status_of([] {
            {
              const SignalGuard guard([] {});
              kill(getpid(), SIGTERM);
            }
            return 0;
          }) == 128 + SIGTERM);
  }
}

}  // namespace
}  // namespace steptwin::cli
