#include "hw/cuda/stopwatch.h"

#include <cmath>
#include <limits>
#include <utility>

#include "hw/host/clock.h"

namespace steptwin::hw::cuda {

Stopwatch::Stopwatch(std::size_t kernels) : base_(make_event(true)), trial_(make_event(true)) {
  for (std::size_t index = 0; index < kernels; ++index) {
    begins_.push_back(make_event(true));
    ends_.push_back(make_event(true));
  }
}

void Stopwatch::tie(cudaStream_t idle, const Patience& patience) {
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kEffort{5};  // of all tries, where they take long
  width_ns_ = std::numeric_limits<TimeNs>::max();
  const Clock::time_point enough = Clock::now() + kEffort;
  for (int tries = 0; tries < kTries && (tries == 0 || Clock::now() < enough); ++tries) {
    const TimeNs before = host_now_ns();
    check(cudaEventRecord(trial_.get(), idle), "cudaEventRecord");
    await(patience, "an event on an idle stream", [&] { return is_complete(trial_.get()); });
    const TimeNs after = host_now_ns();
    if (after - before >= width_ns_) continue;
    width_ns_ = after - before;
    base_ns_ = before + width_ns_ / 2;
    std::swap(base_, trial_);
  }
}

TimeNs Stopwatch::at_ns(cudaEvent_t event) const {
  constexpr double kNsPerMs = 1e6;
  float apart_ms = 0;
  check(cudaEventElapsedTime(&apart_ms, base_.get(), event), "cudaEventElapsedTime");
  return base_ns_ + std::llround(static_cast<double>(apart_ms) * kNsPerMs);
}

}  // namespace steptwin::hw::cuda
