#include "hw/host/gathering.h"

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "hw/host/clock.h"

namespace steptwin::hw {
namespace {

using Words = std::vector<std::uint64_t>;

Collective call_of(std::int32_t place, KernelKind kind = KernelKind::all_gather,
                   Bytes block_bytes = 8, std::size_t members = 3) {
  Collective call;
  call.kind = kind;
  call.communicator = 4;
  for (std::size_t rank = 0; rank < members; ++rank) {
    call.members.push_back(static_cast<std::int32_t>(10 + rank));
  }
  call.place = place;
  call.block_bytes = block_bytes;
  return call;
}

// The first word of what each member has brought.
Words firsts(const Gathering::Blocks& blocks) {
  Words words;
  for (const auto& block : blocks) words.push_back(block[0]);
  return words;
}

TEST_CASE("the k-th calls of all members are one call, and each reads what all have brought") {
  constexpr std::size_t kMembers = 3;
  constexpr std::uint64_t kCalls = 200;
  const Stop stop;
  Gathering gathering(stop);
  std::vector<std::vector<Words>> seen(kMembers);
  std::vector<std::thread> threads;
  for (std::size_t place = 0; place < kMembers; ++place) {
    threads.emplace_back([&, place] {
      for (std::uint64_t number = 0; number < kCalls; ++number) {
        const Words brought{100 * number + place};
        gathering.perform(
            call_of(static_cast<std::int32_t>(place)), brought,
            [&](const Gathering::Blocks& blocks) { seen[place].push_back(firsts(blocks)); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t place = 0; place < kMembers; ++place) {
    REQUIRE(seen[place].size() == kCalls);
    for (std::uint64_t number = 0; number < kCalls; ++number) {
      CHECK(seen[place][number] == Words{100 * number, 100 * number + 1, 100 * number + 2});
    }
  }
}

TEST_CASE("a call begins when the last has come, for all alike, and takes its link's time") {
  constexpr TimeNs kLink = 3'000'000;
  const Stop stop;
  Gathering gathering(stop);
  const Words brought{1};
  std::vector<TimeSpan> spans(2);
  const auto perform = [&](std::int32_t place) {
    Collective call = call_of(place, KernelKind::all_gather, 8, 2);
    call.link_ns = kLink;
    spans[static_cast<std::size_t>(place)] =
        gathering.perform(call, brought, [](const Gathering::Blocks&) {});
  };
  std::thread other([&] { perform(1); });
  const TimeNs before = host_now_ns();
  perform(0);
  other.join();
  CHECK(spans[0].begin_ns == spans[1].begin_ns);
  CHECK(spans[0].begin_ns >= before);
  for (const TimeSpan& span : spans) CHECK(span.end_ns - span.begin_ns >= kLink);
}

// What becomes of two members that do not agree: one is told, the other is freed by the stop.
std::string disagreement(const Collective& left, const Collective& right) {
  Stop stop;
  Gathering gathering(stop);
  std::vector<std::string> errors(2);
  const auto attempt = [&](std::size_t index, const Collective& call) {
    const Words brought{1, 2};
    try {
      gathering.perform(call, brought, [](const Gathering::Blocks&) { FAIL("they differ"); });
    } catch (const Stopped&) {
      errors[index] = "";
    } catch (const std::runtime_error& error) {
      errors[index] = error.what();
      stop.request(error.what());
    }
  };
  std::thread other([&] { attempt(1, right); });
  attempt(0, left);
  other.join();
  return errors[0] + errors[1];
}

TEST_CASE("calls of another kind or size are an error that names both, at whoever comes second") {
  const std::string sizes = disagreement(call_of(0, KernelKind::all_to_all, 8, 2),
                                         call_of(1, KernelKind::all_to_all, 16, 2));
  const bool told =
      sizes ==
          "rank 11 calls all_to_all with blocks of 16 bytes where another member calls "
          "all_to_all with blocks of 8 bytes" ||
      sizes ==
          "rank 10 calls all_to_all with blocks of 8 bytes where another member calls "
          "all_to_all with blocks of 16 bytes";
  CHECK_MESSAGE(told, sizes);
  const std::string kinds = disagreement(call_of(0, KernelKind::all_reduce, 8, 2),
                                         call_of(1, KernelKind::reduce_scatter, 8, 2));
  const bool both = kinds.find("all_reduce with blocks of 8 bytes") != std::string::npos &&
                    kinds.find("reduce_scatter with blocks of 8 bytes") != std::string::npos;
  CHECK_MESSAGE(both, kinds);
}

TEST_CASE("a run that is given up frees whoever waits") {
  Stop stop;
  Gathering gathering(stop);
  const Words brought{1};
  const auto never = [](const Gathering::Blocks&) { FAIL("a member is missing"); };
  std::thread waiting(
      [&] { CHECK_THROWS_AS(gathering.perform(call_of(0), brought, never), Stopped); });
  std::thread another(
      [&] { CHECK_THROWS_AS(gathering.perform(call_of(2), brought, never), Stopped); });
  stop.request("enough");
  waiting.join();
  another.join();
}

TEST_CASE("after a reset positions count from the beginning") {
  const Stop stop;
  Gathering gathering(stop);
  Words seen;
  const auto see = [&seen](const Gathering::Blocks& blocks) { seen.push_back(blocks[0][0]); };
  for (const std::uint64_t word : {1U, 2U}) {
    const Words brought{word};
    gathering.perform(call_of(0, KernelKind::all_gather, 8, 1), brought, see);
    gathering.reset();
  }
  CHECK(seen == Words{1, 2});
}

}  // namespace
}  // namespace steptwin::hw
