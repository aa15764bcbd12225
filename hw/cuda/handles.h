#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "hw/cuda/check.h"

namespace steptwin::hw::cuda {

// Who owns what of the toolkit's: nothing else frees a handle. What is freed is no longer in use;
// errors while freeing are those of a device that has failed already.

struct StreamRelease {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, StreamRelease>;

// Of two streams of a device the blocks of the urgent one are placed first.
enum class Urgency : std::uint8_t { ordinary, urgent };

inline Stream make_stream(Urgency urgency) {
  int least = 0;
  int greatest = 0;  // the lower number
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                     urgency == Urgency::urgent ? greatest : least),
        "cudaStreamCreateWithPriority");
  return Stream(stream);
}

struct EventRelease {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, EventRelease>;

// One that has a time, or one that is for order alone.
inline Event make_event(bool timed) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  return Event(event);
}

// Whether all that stood before it has ended. An event that was never recorded is complete.
inline bool is_complete(cudaEvent_t event) {
  const cudaError_t status = cudaEventQuery(event);
  if (status == cudaErrorNotReady) return false;
  check(status, "cudaEventQuery");
  return true;
}

struct DeviceRelease {
  void operator()(std::byte* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<std::byte, DeviceRelease>;

// Null for no bytes.
inline DeviceMemory make_device_memory(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > 0) check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return DeviceMemory(static_cast<std::byte*>(memory));
}

struct PinnedRelease {
  void operator()(std::byte* memory) const { cudaFreeHost(memory); }
};
using PinnedMemory = std::unique_ptr<std::byte, PinnedRelease>;

// Of the host, and devices reach it too. Null for no bytes.
inline PinnedMemory make_pinned_memory(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > 0) check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped), "cudaHostAlloc");
  return PinnedMemory(static_cast<std::byte*>(memory));
}

}  // namespace steptwin::hw::cuda
