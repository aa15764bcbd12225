#include "hw/host/stream.h"

#include <atomic>
#include <doctest/doctest.h>
#include <latch>
#include <stdexcept>
#include <string>
#include <vector>

namespace steptwin::hw {
namespace {

TEST_CASE("what is appended runs in order, one after the other") {
  constexpr int kEntries = 1000;
  Stop stop;
  HostStream stream(stop);
  std::vector<int> ran;
  for (int entry = 0; entry < kEntries; ++entry) {
    stream.append([&ran, entry] { ran.push_back(entry); });
  }
  stream.await_all();
  CHECK(stream.appended() == kEntries);
  CHECK(stream.passed() == kEntries);
  REQUIRE(ran.size() == kEntries);
  for (int entry = 0; entry < kEntries; ++entry) {
    CHECK(ran[static_cast<std::size_t>(entry)] == entry);
  }
}

TEST_CASE("passed counts what has ended, and those before can be awaited alone") {
  Stop stop;
  HostStream stream(stop);
  std::latch go(1);
  std::latch begun(1);
  stream.append([] {});
  stream.append([&] {
    begun.count_down();
    go.wait();
  });
  stream.await_passed(1);
  begun.wait();
  CHECK(stream.appended() == 2);
  CHECK(stream.passed() == 1);
  go.count_down();
  stream.await_all();
  CHECK(stream.passed() == 2);
  stream.reset();
  CHECK(stream.appended() == 0);
  CHECK(stream.passed() == 0);
  stream.append([] {});
  stream.await_passed(1);
  CHECK(stream.passed() == 1);
}

TEST_CASE("an entry that throws stops the run with its reason, and nothing runs behind it") {
  Stop stop;
  HostStream stream(stop);
  std::atomic<bool> ran{false};
  stream.append([] { throw std::runtime_error("broken"); });
  stream.append([&ran] { ran = true; });
  CHECK_THROWS_AS(stream.await_all(), Stopped);
  CHECK(stop.reasons() == std::vector<std::string>{"broken"});
  stream.end();
  CHECK_FALSE(ran);
  CHECK(stream.passed() == 0);
}

TEST_CASE("an entry that was let go by a stop adds no reason of its own") {
  Stop stop;
  HostStream stream(stop);
  std::latch begun(1);
  stream.append([&] {
    begun.count_down();
    while (true) stop.check();
  });
  begun.wait();
  stop.request("enough");
  CHECK_THROWS_AS(stream.await_all(), Stopped);
  stream.end();
  CHECK(stop.reasons() == std::vector<std::string>{"enough"});
}

TEST_CASE("a stream that ends drops what it has not begun") {
  Stop stop;
  std::atomic<int> ran{0};
  std::latch begun(1);
  std::latch go(1);
  {
    HostStream stream(stop);
    stream.append([&] {
      begun.count_down();
      go.wait();
      ++ran;
    });
    begun.wait();
    std::thread ending([&stream] { stream.end(); });
    go.count_down();
    ending.join();
    CHECK(stream.passed() == 1);
    stream.append([&ran] { ++ran; });  // there is no thread any more
  }
  CHECK(ran == 1);
  CHECK_FALSE(stop.requested());
}

}  // namespace
}  // namespace steptwin::hw
