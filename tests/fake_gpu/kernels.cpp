#include "hw/cuda/kernels.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/fake_gpu/machine.h"
#include "tests/fake_gpu/streams.h"

// Our device code, for the stand-in.
namespace steptwin::hw::cuda {
namespace {

using fake_gpu::Machine;

template <typename Perform>
void for_each_place(const PatternWords& payload, Perform perform) {
  for (std::size_t word = 0; word < payload.count; word += payload.step) perform(word);
  if ((payload.count - 1) % payload.step != 0) perform(payload.count - 1);
}

}  // namespace

cudaError_t fill_pattern(const PatternWords& payload, cudaStream_t stream) {
  if (const auto status = Machine::get().fault("fill_pattern")) return cudaError_t(*status);
  if (payload.count == 0) return cudaSuccess;
  stream->put([payload] {
    for_each_place(payload, [&](std::size_t word) {
      payload.words[word] = payload.base + word * payload.stride;
    });
  });
  return cudaSuccess;
}

cudaError_t check_pattern(const PatternWords& payload, CheckedPart part, Mismatch* found,
                          cudaStream_t stream) {
  if (const auto status = Machine::get().fault("check_pattern")) return cudaError_t(*status);
  if (payload.count == 0) return cudaSuccess;
  stream->put([payload, part, found] {
    for_each_place(payload, [&](std::size_t word) {
      const std::uint64_t expected = payload.base + word * payload.stride;
      const std::uint64_t value = payload.words[word];
      payload.words[word] = ~expected;
      if (value == expected || std::atomic_ref(found->taken).exchange(1) != 0) return;
      found->part = part.part;
      found->kernel = part.kernel;
      found->word = word;
      found->count = payload.count;
      found->found = value;
      found->expected = expected;
    });
  });
  return cudaSuccess;
}

cudaError_t spin(std::int64_t duration_ns, const std::uint32_t* over, cudaStream_t stream) {
  if (const auto status = Machine::get().fault("spin")) return cudaError_t(*status);
  stream->put([duration_ns, over] {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLook{1};
    const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(duration_ns);
    while (Clock::now() + kLook < end) {
      if (std::atomic_ref(*const_cast<std::uint32_t*>(over)).load() != 0) return;
      std::this_thread::sleep_for(kLook);
    }
    std::this_thread::sleep_until(end);
  });
  return cudaSuccess;
}

}  // namespace steptwin::hw::cuda
