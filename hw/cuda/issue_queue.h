#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "hw/cuda/handles.h"

namespace steptwin::hw::cuda {

// The streams and events of a Program on those of a device. A device differs in two ways, and so an
// entry is held back here until the device can have it:
//
//   - a wait for an event that nobody has recorded yet would be no wait at all;
//   - a stream has room for so many entries, and a host thread that appends to a full one is
//     blocked, also for the other streams, on which the rest of the job may depend.
//
//   appended  k0 k1 k2 wait k3 k4            held: [wait k3 k4] until the event is recorded
//   on device k0 k1 k2                       passed: 2, k2 is under way
//
// To be used under one lock.
class IssueQueue {
 public:
  static constexpr std::size_t kWindow = 128;  // entries of a stream on the device

  // The streams outlive the queue.
  IssueQueue(std::span<const cudaStream_t> streams, std::size_t events,
             std::size_t window = kWindow);

  // Nothing is in flight: no event is recorded any more, and every stream is empty.
  void reset();

  // A kernel. `issue` puts it on the stream, and records `done` behind it.
  void append(std::int32_t stream, cudaEvent_t done, std::function<void()> issue);
  void record(std::int32_t event, std::int32_t stream);
  void wait(std::int32_t stream, std::int32_t event);

  // Hands the device what was held back and need be no longer.
  void pump();

  // Whether all that the event covers has ended; false while it is not recorded.
  bool is_complete(std::int32_t event) const;
  // How many of its kernels and waits each stream has passed.
  std::vector<std::int32_t> passed();
  bool all_passed();

 private:
  enum class EntryType : std::uint8_t { kernel, record, wait };
  struct Entry {
    EntryType type = EntryType::kernel;
    std::int32_t event = -1;
    cudaEvent_t done = nullptr;
    std::function<void()> issue;
  };
  struct Queue {
    cudaStream_t stream = nullptr;
    std::deque<Entry> held;
    std::vector<cudaEvent_t> issued;  // of each kernel and wait, what completes when it is passed
    std::size_t passed = 0;
  };

  Queue& queue(std::int32_t stream) { return queues_[static_cast<std::size_t>(stream)]; }
  void add(std::int32_t stream, Entry entry);
  bool is_due(Queue& queue, const Entry& entry) const;
  bool issue_due(Queue& queue);
  void issue(Queue& queue, const Entry& entry);
  static void advance(Queue& queue);

  const std::size_t window_;
  std::vector<Queue> queues_;
  std::vector<Event> events_;
  std::vector<char> recorded_;  // by event
};

}  // namespace steptwin::hw::cuda
