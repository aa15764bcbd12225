#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "hw/host/links.h"
#include "hw/stop.h"

namespace steptwin::hw {

// Where the ranks of one process exchange data, by the matching rules of the simulator: the k-th
// send from one rank to another on a communicator goes into the k-th receive there. A transfer
// begins when both ends have arrived, and ends when the receiver has copied the bytes and its
// emulated link has had its time.
class Exchange {
 public:
  explicit Exchange(const Stop& stop) : stop_(stop) {}

  // Performs all the transfers of a kernel of `rank` at once; returns when the last has ended.
  // Throws std::runtime_error if the other end has another size.
  void transfer(std::int32_t rank, std::int32_t communicator, std::vector<End>& ends);

  // Nothing is in flight: positions count from the beginning again.
  void reset();

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Meeting;
  struct Performance;
  using MeetingPointer = std::shared_ptr<Meeting>;
  struct Channel {
    std::deque<MeetingPointer> open;  // at which one end is missing
    bool sends = false;               // which end is there
  };

  MeetingPointer meet(std::int32_t rank, std::int32_t communicator, End& end,
                      std::condition_variable_any& wakes);
  void copy_received(Performance& performance, Lock& lock);
  void wait_for_change(Performance& performance, Lock& lock);

  const Stop& stop_;
  std::mutex mutex_;  // for what follows and for every Meeting
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, Channel> channels_;
};

}  // namespace steptwin::hw
