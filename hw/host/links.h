#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/device.h"

namespace steptwin::hw {

// One end of a transfer and what it carries: words to read, or to write.
struct End {
  Transfer transfer;
  std::span<std::uint64_t> words;
  TimeSpan span;  // on the host's clock; written when the transfer ends
};

// How the communication kernels of host devices reach the other ranks: within the process, or
// through MPI. Called by the threads of streams; returns when the kernel has ended.
class HostLinks {
 public:
  HostLinks() = default;
  virtual ~HostLinks() = default;
  HostLinks(const HostLinks&) = delete;
  HostLinks& operator=(const HostLinks&) = delete;

  // All the transfers of a kernel of `rank` at once.
  virtual void transfer(std::int32_t rank, std::int32_t communicator, std::vector<End>& ends) = 0;

  // `brought`: the blocks this member hands out; `results`: where what it gets goes. How many there
  // are: brought_blocks and result_blocks.
  virtual TimeSpan collective(const Collective& call, std::span<const std::uint64_t> brought,
                              std::span<std::uint64_t> results) = 0;

  // Nothing is in flight.
  virtual void begin() = 0;
};

}  // namespace steptwin::hw
