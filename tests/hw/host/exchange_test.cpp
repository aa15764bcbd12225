#include "hw/host/exchange.h"

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "hw/host/clock.h"

namespace steptwin::hw {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::int32_t kPair = 3;  // the communicator

End sends(std::int32_t peer, Words& words) {
  End end;
  end.transfer.is_send = true;
  end.transfer.peer = peer;
  end.transfer.bytes = static_cast<Bytes>(words.size() * 8);
  end.words = words;
  return end;
}

End receives(std::int32_t peer, Words& words) {
  End end = sends(peer, words);
  end.transfer.is_send = false;
  return end;
}

void perform(Exchange& exchange, std::int32_t rank, std::vector<End> ends,
             std::int32_t communicator = kPair) {
  exchange.transfer(rank, communicator, ends);
}

TEST_CASE("the k-th send goes into the k-th receive, whatever else is under way") {
  const Stop stop;
  Exchange exchange(stop);
  constexpr std::uint64_t kCount = 200;
  // Rank 0 sends 1000, 1001, ... to rank 1 and 2000, ... on another communicator; rank 1 sends
  // back 3000, ...
  const auto send_all = [&](std::int32_t rank, std::uint64_t first, std::int32_t communicator) {
    for (std::uint64_t index = 0; index < kCount; ++index) {
      Words words{first + index, index};
      perform(exchange, rank, {sends(1 - rank, words)}, communicator);
    }
  };
  const auto receive_all = [&](std::int32_t rank, std::int32_t communicator, Words& got) {
    for (std::uint64_t index = 0; index < kCount; ++index) {
      Words words(2, 0);
      perform(exchange, rank, {receives(1 - rank, words)}, communicator);
      got.push_back(words[0]);
    }
  };
  Words forth;
  Words other;
  Words back;
  std::vector<std::thread> threads;
  threads.emplace_back([&] { send_all(0, 1000, kPair); });
  threads.emplace_back([&] { send_all(0, 2000, kPair + 1); });
  threads.emplace_back([&] { send_all(1, 3000, kPair); });
  threads.emplace_back([&] { receive_all(1, kPair, forth); });
  threads.emplace_back([&] { receive_all(1, kPair + 1, other); });
  threads.emplace_back([&] { receive_all(0, kPair, back); });
  for (std::thread& thread : threads) thread.join();
  REQUIRE(forth.size() == kCount);
  for (std::uint64_t index = 0; index < kCount; ++index) {
    CHECK(forth[index] == 1000 + index);
    CHECK(other[index] == 2000 + index);
    CHECK(back[index] == 3000 + index);
  }
}

// Both send and receive at once, as a batch does: one after the other they would wait forever.
TEST_CASE("the parts of a kernel are under way together, in their order for each pair") {
  const Stop stop;
  Exchange exchange(stop);
  Words first{1};
  Words second{2, 2};
  Words third{3};
  Words from_0(1, 0);
  Words again_from_0(2, 0);
  Words from_1(1, 0);
  std::vector<End> ends = {sends(1, first), receives(1, from_1), sends(1, second)};
  std::thread other([&] {
    perform(exchange, 1, {sends(0, third), receives(0, from_0), receives(0, again_from_0)});
  });
  exchange.transfer(0, kPair, ends);
  other.join();
  CHECK(from_0 == Words{1});
  CHECK(again_from_0 == Words{2, 2});
  CHECK(from_1 == Words{3});
  for (const End& end : ends) CHECK(end.span.end_ns >= end.span.begin_ns);
}

TEST_CASE("three ranks in a ring") {
  const Stop stop;
  Exchange exchange(stop);
  std::vector<Words> got(3, Words(1, 0));
  std::vector<std::thread> threads;
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      Words own{static_cast<std::uint64_t>(rank + 10)};
      perform(exchange, rank,
              {sends((rank + 1) % 3, own),
               receives((rank + 2) % 3, got[static_cast<std::size_t>(rank)])});
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(got == std::vector<Words>{{12}, {10}, {11}});
}

TEST_CASE("a transfer takes its link's time at least, from when both have come") {
  constexpr TimeNs kLink = 3'000'000;
  const Stop stop;
  Exchange exchange(stop);
  Words sent{1};
  Words got(1, 0);
  std::vector<End> ends = {sends(1, sent)};
  std::vector<End> others = {receives(0, got)};
  ends[0].transfer.link_ns = others[0].transfer.link_ns = kLink;
  const TimeNs before = host_now_ns();
  std::thread other([&] { exchange.transfer(1, kPair, others); });
  exchange.transfer(0, kPair, ends);
  other.join();
  CHECK(ends[0].span.begin_ns == others[0].span.begin_ns);
  CHECK(ends[0].span.begin_ns >= before);
  CHECK(ends[0].span.end_ns - ends[0].span.begin_ns >= kLink);
  CHECK(others[0].span.end_ns - others[0].span.begin_ns >= kLink);
}

TEST_CASE("an eager send ends alone; its receiver gets what was sent, not what is there by then") {
  const Stop stop;
  Exchange exchange(stop);
  Words words{5, 6};
  for (const std::uint64_t value : {5U, 7U}) {
    words[0] = value;
    std::vector<End> ends = {sends(1, words)};
    ends[0].transfer.is_eager = true;
    exchange.transfer(0, kPair, ends);
    CHECK(ends[0].span.end_ns >= ends[0].span.begin_ns);
  }
  words = {0, 0};
  Words got(2, 0);
  perform(exchange, 1, {receives(0, got)});
  CHECK(got == Words{5, 6});
  perform(exchange, 1, {receives(0, got)});
  CHECK(got == Words{7, 6});
}

TEST_CASE("what was left is gone after a reset") {
  const Stop stop;
  Exchange exchange(stop);
  Words left{1};
  std::vector<End> ends = {sends(1, left)};
  ends[0].transfer.is_eager = true;
  exchange.transfer(0, kPair, ends);
  exchange.reset();
  left = {2};
  exchange.transfer(0, kPair, ends);
  Words got(1, 0);
  perform(exchange, 1, {receives(0, got)});
  CHECK(got == Words{2});
}

TEST_CASE("ends of different sizes are an error that names both, at whoever comes second") {
  for (const bool sender_first : {true, false}) {
    Stop stop;
    Exchange exchange(stop);
    Words words{1, 2};
    Words room(3, 0);
    std::vector<std::string> errors(2);
    std::vector<int> freed(2, 0);
    const auto attempt = [&](std::size_t index, std::int32_t rank, const End& end) {
      try {
        perform(exchange, rank, {end});
      } catch (const Stopped&) {
        ++freed[index];
      } catch (const std::runtime_error& error) {
        errors[index] = error.what();
        stop.request(errors[index]);
      }
    };
    const End send = sends(1, words);
    const End receive = receives(0, room);
    std::thread first([&] { sender_first ? attempt(0, 0, send) : attempt(0, 1, receive); });
    sender_first ? attempt(1, 1, receive) : attempt(1, 0, send);
    first.join();
    CHECK(freed[0] + freed[1] == 1);
    const std::string told = errors[0] + errors[1];
    const bool at_sender =
        told ==
        "a transfer from rank 0 to rank 1 has 16 bytes at its sender and 24 bytes at the "
        "other end";
    const bool at_receiver =
        told ==
        "a transfer from rank 0 to rank 1 has 24 bytes at its receiver and 16 bytes at the "
        "other end";
    CHECK((at_sender || at_receiver));
  }
}

// The ends that waited are gone by then: nothing of them may be touched.
TEST_CASE("a run that is given up frees whoever waits, and whoever comes to meet them later") {
  Stop stop;
  Exchange exchange(stop);
  Words words{1};
  Words room(1, 0);
  std::thread sender([&] { CHECK_THROWS_AS(perform(exchange, 0, {sends(1, words)}), Stopped); });
  std::thread receiver(
      [&] { CHECK_THROWS_AS(perform(exchange, 2, {receives(1, room)}), Stopped); });
  stop.request("enough");
  sender.join();
  receiver.join();
  Words late(1, 0);
  Words more{2};
  try {
    perform(exchange, 1, {receives(0, late), sends(2, more)});
  } catch (const Stopped&) {
    CHECK(stop.requested());
  }
  CHECK_THROWS_AS(perform(exchange, 5, {receives(6, late)}), Stopped);
}

}  // namespace
}  // namespace steptwin::hw
