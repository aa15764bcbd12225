#pragma once

#include <cstddef>
#include <vector>

#include "hw/cuda/handles.h"
#include "hw/cuda/patience.h"
#include "model/units.h"

namespace steptwin::hw::cuda {

// When the kernels of a device began and ended, on the host's clock.
//
// Events of a device are apart by a time, in milliseconds as a float, and know no other clock. So
// an event is tied to the host's clock: it is recorded on an idle stream, and the host reads its
// clock before and after. Of many tries the one with the least between the two counts; its instant
// is known to half of that. The tie is made anew for every iteration: the clocks drift, and a float
// of 10 s has no microseconds.
class Stopwatch {
 public:
  explicit Stopwatch(std::size_t kernels);

  // Nothing is in flight on the device.
  void tie(cudaStream_t idle, const Patience& patience);
  // What of the host's time between the two readings is not known of the tie.
  TimeNs tie_width_ns() const { return width_ns_; }

  // To be recorded before and behind the kernel, which is numbered as in the rank.
  cudaEvent_t begin(std::size_t kernel) const { return begins_[kernel].get(); }
  cudaEvent_t end(std::size_t kernel) const { return ends_[kernel].get(); }

  // When an event was complete that was recorded since the tie.
  TimeNs at_ns(cudaEvent_t event) const;

 private:
  std::vector<Event> begins_;
  std::vector<Event> ends_;
  Event base_;  // of the best try so far
  Event trial_;
  TimeNs base_ns_ = 0;
  TimeNs width_ns_ = 0;
};

}  // namespace steptwin::hw::cuda
