#include "sim/channels.h"

#include <cassert>

namespace steptwin::sim {
namespace {

struct Key {
  std::uint64_t pair;  // communicator and sender
  std::uint32_t receiver;
};

Key key_of(std::int32_t communicator, std::int32_t sender, std::int32_t receiver) {
  assert(communicator >= 0 && sender >= 0 && receiver >= 0);
  return {(static_cast<std::uint64_t>(communicator) << 32U) | static_cast<std::uint64_t>(sender),
          static_cast<std::uint32_t>(receiver)};
}

// Where the key is, or the free slot where it would be put.
std::size_t slot_of(const Channels& channels, const Key& key) {
  std::uint64_t mixed = (key.pair ^ (std::uint64_t{key.receiver} << 17U)) * 0x9e3779b97f4a7c15ULL;
  mixed ^= mixed >> 32U;
  const std::size_t mask = channels.slots.size() - 1;
  std::size_t slot = static_cast<std::size_t>(mixed) & mask;
  while (channels.slots[slot].taken &&
         (channels.slots[slot].pair != key.pair || channels.slots[slot].receiver != key.receiver)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

// Keeps at least half of the table free.
void grow(Channels& channels) {
  std::vector<Channels::Slot> old(channels.slots.size() * 2);
  old.swap(channels.slots);
  for (const Channels::Slot& slot : old) {
    if (!slot.taken) continue;
    channels.slots[slot_of(channels, {slot.pair, slot.receiver})] = slot;
  }
}

}  // namespace

Channels make_channels(std::size_t parts) {
  Channels channels;
  channels.slots.resize(64);
  channels.next_part.assign(parts, -1);
  return channels;
}

Channel& channel_of(Channels& channels, std::int32_t communicator, std::int32_t sender,
                    std::int32_t receiver) {
  const Key key = key_of(communicator, sender, receiver);
  std::size_t slot = slot_of(channels, key);
  if (!channels.slots[slot].taken) {
    if (channels.taken * 2 >= channels.slots.size()) {
      grow(channels);
      slot = slot_of(channels, key);
    }
    channels.slots[slot] = {key.pair, key.receiver, true, Channel{}};
    ++channels.taken;
  }
  return channels.slots[slot].channel;
}

const Channel* find_channel(const Channels& channels, std::int32_t communicator,
                            std::int32_t sender, std::int32_t receiver) {
  const Channels::Slot& slot =
      channels.slots[slot_of(channels, key_of(communicator, sender, receiver))];
  return slot.taken ? &slot.channel : nullptr;
}

}  // namespace steptwin::sim
