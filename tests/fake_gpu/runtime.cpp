#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "tests/fake_gpu/include/cuda_runtime_api.h"
#include "tests/fake_gpu/machine.h"
#include "tests/fake_gpu/streams.h"

namespace {

using steptwin::fake_gpu::Machine;
using steptwin::fake_gpu::Recording;

thread_local int device_in_use = 0;

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* meaning;
};
constexpr ErrorText kErrorTexts[] = {
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
};

ErrorText text_of(cudaError_t error) {
  for (const ErrorText& text : kErrorTexts) {
    if (text.error == error) return text;
  }
  return {error, "cudaErrorUnknown", "unknown error"};
}

// What a function that is not to fail does is `perform`.
template <typename Perform>
cudaError_t answer(const char* function, Perform perform) {
  if (const auto status = Machine::get().fault(function)) return static_cast<cudaError_t>(*status);
  return perform();
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  ++Machine::get().live;
  return cudaSuccess;
}

cudaError_t release(void* memory) {
  if (memory != nullptr) --Machine::get().live;
  std::free(memory);
  return cudaSuccess;
}

}  // namespace

int steptwin::fake_gpu::current_device() {
  return device_in_use;
}

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  return text_of(error).name;
}

const char* cudaGetErrorString(cudaError_t error) {
  return text_of(error).meaning;
}

cudaError_t cudaGetDeviceCount(int* count) {
  return answer("cudaGetDeviceCount", [&] {
    const int devices = Machine::get().devices();
    if (devices < 0) return cudaErrorInsufficientDriver;  // and leaves the count alone
    *count = devices;
    return devices == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  return answer("cudaGetDeviceProperties", [&] {
    std::strncpy(properties->name, "stand-in", sizeof(properties->name) - 1);
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return answer("cudaSetDevice", [&] {
    if (device < 0 || device >= Machine::get().devices()) return cudaErrorInvalidDevice;
    device_in_use = device;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return answer("cudaDeviceGetStreamPriorityRange", [&] {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/,
                                         int /*priority*/) {
  return answer("cudaStreamCreateWithPriority", [&] {
    *stream = new CUstream_st(device_in_use);
    ++Machine::get().live;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return answer("cudaStreamDestroy", [&] {
    delete stream;
    --Machine::get().live;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return answer("cudaStreamQuery",
                [&] { return stream->is_idle() ? cudaSuccess : cudaErrorNotReady; });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  return answer("cudaStreamWaitEvent", [&] {
    const std::lock_guard lock(event->mutex);
    if (event->latest) stream->put([recording = event->latest] { recording->await(); });
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return answer("cudaEventCreateWithFlags", [&] {
    *event = new CUevent_st();
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    ++Machine::get().live;
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return answer("cudaEventDestroy", [&] {
    delete event;
    --Machine::get().live;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return answer("cudaEventRecord", [&] {
    // Streams and events go together by device.
    if (stream->device != device_in_use) return cudaErrorInvalidResourceHandle;
    auto recording = std::make_shared<Recording>();
    stream->put([recording] { recording->complete(); });
    const std::lock_guard lock(event->mutex);
    event->latest = std::move(recording);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return answer("cudaEventQuery", [&] {
    const std::lock_guard lock(event->mutex);
    const bool complete = !event->latest || event->latest->is_complete();
    return complete ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  return answer("cudaEventElapsedTime", [&] {
    const std::scoped_lock lock(from->mutex, to->mutex);
    const bool usable = from->timed && to->timed && from->latest && to->latest;
    if (!usable) return cudaErrorInvalidResourceHandle;
    if (!from->latest->is_complete() || !to->latest->is_complete()) return cudaErrorNotReady;
    *ms =
        static_cast<float>(static_cast<double>(to->latest->at_ns() - from->latest->at_ns()) * 1e-6);
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return answer("cudaMalloc", [&] { return allocate(memory, bytes); });
}

cudaError_t cudaFree(void* memory) {
  return answer("cudaFree", [&] { return release(memory); });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  return answer("cudaHostAlloc", [&] { return allocate(memory, bytes); });
}

cudaError_t cudaFreeHost(void* memory) {
  return answer("cudaFreeHost", [&] { return release(memory); });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/) {
  return answer("cudaMemcpy", [&] {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream) {
  return answer("cudaMemcpyAsync", [&] {
    stream->put([to, from, bytes] {
      std::memcpy(to, from, bytes);
      std::this_thread::sleep_for(std::chrono::nanoseconds(Machine::get().copy_delay_ns));
    });
    return cudaSuccess;
  });
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return answer("cudaMemsetAsync", [&] {
    stream->put([memory, value, bytes] { std::memset(memory, value, bytes); });
    return cudaSuccess;
  });
}

}  // extern "C"
