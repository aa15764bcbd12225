#include "hw/gate.h"

#include <doctest/doctest.h>
#include <thread>
#include <vector>

namespace steptwin::hw {
namespace {

// Every thread writes its place before the gate; what is done between sees all of them, once.
TEST_CASE("nobody passes before all have come, and what is between is done once") {
  constexpr std::size_t kThreads = 4;
  constexpr int kRounds = 500;
  const Stop stop;
  Gate gate(kThreads, stop);
  std::vector<int> written(kThreads, 0);
  std::vector<int> sums;
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < kThreads; ++index) {
    threads.emplace_back([&, index] {
      for (int round = 1; round <= kRounds; ++round) {
        written[index] = round;
        gate.pass([&] {
          int sum = 0;
          for (const int each : written) sum += each;
          sums.push_back(sum);
        });
        if (sums.size() != static_cast<std::size_t>(round)) ++wrong[index];
        gate.pass([] {});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(kThreads, 0));
  REQUIRE(sums.size() == kRounds);
  for (int round = 1; round <= kRounds; ++round) {
    CHECK(sums[static_cast<std::size_t>(round - 1)] == round * static_cast<int>(kThreads));
  }
}

TEST_CASE("one thread alone passes at once") {
  const Stop stop;
  Gate gate(1, stop);
  int done = 0;
  gate.pass([&done] { ++done; });
  CHECK(done == 1);
}

TEST_CASE("whoever waits, or comes later, is let go by throwing when the run is given up") {
  Stop stop;
  Gate gate(2, stop);
  std::thread waiting([&] { CHECK_THROWS_AS(gate.pass([] {}), Stopped); });
  stop.request("enough");
  waiting.join();
  CHECK_THROWS_AS(gate.pass([] { FAIL("the run is over"); }), Stopped);
}

}  // namespace
}  // namespace steptwin::hw
