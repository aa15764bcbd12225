#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace steptwin {

// Which threads of a rank launch: one alone, or the two of an overlap at once.
enum class Launcher : std::uint8_t { alone, forward_thread, backward_thread };

// The streams of a rank that hold a kernel for which compute does not wait yet.
//
// A stream runs in order, so a wait for an event covers everything launched before the event was
// recorded. Two threads of an overlap launch in an order that only the run knows: each has a newest
// kernel of its own there. What is launched alone comes after everything before it.
class OutstandingStreams {
 public:
  static constexpr std::int32_t kNotRecorded = -1;

  // A kernel was launched on the stream; `event` was recorded right after it, or none was.
  void launched(std::int32_t stream, Launcher by, std::int32_t event = kNotRecorded) {
    const auto index = static_cast<std::size_t>(stream);
    if (newest_.size() <= index) newest_.resize(index + 1, {kCovered, kCovered});
    newest_[index][by == Launcher::backward_thread ? 1 : 0] = event;
    if (by == Launcher::alone) newest_[index][1] = kCovered;
    if (event == kNotRecorded) return;
    const auto position = static_cast<std::size_t>(event);
    if (stream_of_event_.size() <= position) stream_of_event_.resize(position + 1, kNoStream);
    stream_of_event_[position] = stream;
  }

  // The compute stream waits for an event that launched() has named.
  void compute_waits(std::int32_t event) {
    const std::int32_t stream = stream_of_event_[static_cast<std::size_t>(event)];
    for (std::int32_t& newest : newest_[static_cast<std::size_t>(stream)]) {
      if (newest == event) newest = kCovered;
    }
  }

  std::vector<std::int32_t> streams() const {  // ascending
    std::vector<std::int32_t> outstanding;
    for (std::size_t stream = 0; stream < newest_.size(); ++stream) {
      if (newest_[stream] != std::array{kCovered, kCovered}) {
        outstanding.push_back(static_cast<std::int32_t>(stream));
      }
    }
    return outstanding;
  }

 private:
  static constexpr std::int32_t kCovered = -2;
  static constexpr std::int32_t kNoStream = -1;

  // The event of each stream's newest kernel, of the forward thread or one alone, of the backward
  // thread.
  std::vector<std::array<std::int32_t, 2>> newest_;
  std::vector<std::int32_t> stream_of_event_;
};

}  // namespace steptwin
