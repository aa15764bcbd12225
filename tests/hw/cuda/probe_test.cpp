#include "hw/cuda/probe.h"

#include <doctest/doctest.h>

#include "tests/hw/cuda/fake_run.h"

namespace steptwin::hw::cuda {
namespace {

TEST_CASE("a probe tells what is there, or why nothing is") {
  const FakeMachine machine(3);
  CHECK(probe_devices().devices == 3);
  CHECK(probe_devices().name == "stand-in");
  fake_gpu::reset(0);
  CHECK(probe_devices().devices == 0);
  CHECK(probe_devices().reason == "no CUDA-capable device is detected (cudaErrorNoDevice)");
  fake_gpu::reset(fake_gpu::kNoDriver);
  CHECK(probe_devices().devices == 0);
  CHECK(probe_devices().reason ==
        "CUDA driver version is insufficient for CUDA runtime version "
        "(cudaErrorInsufficientDriver)");
}

}  // namespace
}  // namespace steptwin::hw::cuda
