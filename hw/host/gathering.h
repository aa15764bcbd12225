#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "hw/device.h"
#include "hw/stop.h"

namespace steptwin::hw {

// Where the ranks of one process make collective calls. Calls of a communicator match by position;
// a call begins when all members have come to it, and ends when all have taken what is theirs and
// the emulated link has had its time.
class Gathering {
 public:
  // What every member brings, by place: its blocks, one after the other.
  using Blocks = std::vector<std::span<const std::uint64_t>>;

  explicit Gathering(const Stop& stop) : stop_(stop) {}

  // `take` reads what the others have brought. Throws std::runtime_error if another member's call
  // is of another kind or size.
  TimeSpan perform(const Collective& call, std::span<const std::uint64_t> brought,
                   const std::function<void(const Blocks&)>& take);

  // Nothing is in flight: positions count from the beginning again.
  void reset();

 private:
  struct Call {
    KernelKind kind = KernelKind::all_to_all;
    Bytes block_bytes = 0;
    Blocks blocks;
    std::size_t arrived = 0;
    std::size_t taken = 0;
    TimeNs start_ns = 0;
  };
  struct Communicator {
    std::vector<std::size_t> made;  // by place: how many calls
    std::deque<std::shared_ptr<Call>> calls;
    std::size_t first = 0;  // the number of the first of them
  };
  using Lock = std::unique_lock<std::mutex>;

  std::shared_ptr<Call> enter(const Collective& call, std::span<const std::uint64_t> brought);

  const Stop& stop_;
  std::mutex mutex_;  // for what follows
  std::condition_variable_any changed_;
  std::map<std::int32_t, Communicator> communicators_;
};

}  // namespace steptwin::hw
