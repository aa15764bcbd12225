#include "sim/channels.h"

#include <doctest/doctest.h>
#include <map>
#include <random>
#include <tuple>

namespace steptwin::sim {
namespace {

TEST_CASE("a channel is one direction between two ranks on one communicator") {
  Channels channels = make_channels(4);
  CHECK(channels.next_part.size() == 4);
  channel_of(channels, 0, 1, 2).head = 7;
  CHECK(channel_of(channels, 0, 1, 2).head == 7);
  CHECK(channel_of(channels, 0, 2, 1).head == -1);
  CHECK(channel_of(channels, 1, 1, 2).head == -1);
  CHECK(channels.taken == 3);
}

TEST_CASE("looking for a channel does not make it") {
  Channels channels = make_channels(0);
  CHECK(find_channel(channels, 0, 1, 2) == nullptr);
  channel_of(channels, 0, 1, 2).head = 7;
  REQUIRE(find_channel(channels, 0, 1, 2) != nullptr);
  CHECK(find_channel(channels, 0, 1, 2)->head == 7);
  CHECK(find_channel(channels, 0, 2, 1) == nullptr);
  CHECK(channels.taken == 1);
}

// Thousands of keys that are alike but for one part, and some as large as they may be: the table
// grows several times under them.
TEST_CASE("every channel is found again, however many there are") {
  std::mt19937_64 random(17);
  Channels channels = make_channels(0);
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::int32_t> expected;
  const auto number = [&random] {
    const auto drawn = static_cast<std::int32_t>(random() % 24);
    return drawn < 20 ? drawn : 2'147'483'647 - drawn;
  };
  for (std::int32_t head = 0; head < 20'000; ++head) {
    const auto key = std::tuple(number(), number(), number());
    const auto& [communicator, sender, receiver] = key;
    channel_of(channels, communicator, sender, receiver).head = head;
    expected[key] = head;
  }
  CHECK(channels.taken == expected.size());
  CHECK(channels.slots.size() >= 2 * expected.size());
  for (const auto& [key, head] : expected) {
    const auto& [communicator, sender, receiver] = key;
    const Channel* channel = find_channel(channels, communicator, sender, receiver);
    REQUIRE(channel != nullptr);
    REQUIRE(channel->head == head);
  }
}

}  // namespace
}  // namespace steptwin::sim
