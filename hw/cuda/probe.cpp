#include "hw/cuda/probe.h"

#include <cstdlib>
#include <fmt/format.h>

#include "hw/cuda/check.h"

namespace steptwin::hw::cuda {

Probe probe_devices() {
  // Streams beyond this number share a queue, and one would wait for what blocks the other.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  // Code that is loaded when it is first launched may have to wait for all that runs, NCCL's
  // kernels included.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  Probe found;
  int devices = 0;  // left alone by a call that fails
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) {
    found.reason = fmt::format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
  } else if (devices == 0) {
    found.reason = "no GPU is there";
  } else {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    found.devices = devices;
    found.name = properties.name;
  }
  return found;
}

}  // namespace steptwin::hw::cuda
