#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace steptwin::sim {

// Parts of one ordered pair of ranks on one communicator that have arrived at one end and wait for
// the other: a first-in first-out chain through Channels::next_part. A stream holds one kernel at
// a time, so all of them belong to the kernel in flight on `stream`; but for eager sends, whose
// kernels may be gone.
struct Channel {
  std::int32_t head = -1;  // part
  std::int32_t tail = -1;
  std::int32_t stream = -1;
  bool sends = false;
};

// All channels, found by (communicator, sender, receiver). Open addressing, the channel in the
// slot itself, so that it costs one cache line; nothing is ever listed in the order of the table.
struct Channels {
  struct Slot {
    std::uint64_t pair = 0;  // communicator and sender
    std::uint32_t receiver = 0;
    bool taken = false;
    Channel channel;
  };
  std::vector<Slot> slots;
  std::size_t taken = 0;                // of the slots
  std::vector<std::int32_t> next_part;  // by part
};

// Room for `parts` parts.
Channels make_channels(std::size_t parts);

// The channel, made if it is not there yet; where it is until the next one is made.
Channel& channel_of(Channels& channels, std::int32_t communicator, std::int32_t sender,
                    std::int32_t receiver);

// The channel, or null if nothing has arrived at either end so far.
const Channel* find_channel(const Channels& channels, std::int32_t communicator,
                            std::int32_t sender, std::int32_t receiver);

}  // namespace steptwin::sim
