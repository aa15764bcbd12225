#include "hw/mpi/patience.h"

#include <doctest/doctest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace steptwin::hw {
namespace {

struct Ended {
  int status = -1;
  std::string told;
};

// How a process ends that waits for so long, of `most` that it may.
Ended ended(std::chrono::milliseconds wait, std::chrono::milliseconds most) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    {
      const Patience patience(most, "nobody has come");
      std::this_thread::sleep_for(wait);
    }
    _exit(0);
  }
  close(ends[1]);
  Ended result;
  char letter = 0;
  while (read(ends[0], &letter, 1) == 1) result.told += letter;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

TEST_CASE("a process whose call waits too long ends, and says for what") {
  const Ended result = ended(std::chrono::seconds(30), std::chrono::milliseconds(100));
  CHECK(result.status == 3);
  CHECK(result.told == "error: nobody has come for 0.1 s\n");
}

TEST_CASE("one whose call returns in time goes on") {
  const Ended result = ended(std::chrono::milliseconds(1), std::chrono::seconds(30));
  CHECK(result.status == 0);
  CHECK(result.told.empty());
}

}  // namespace
}  // namespace steptwin::hw
