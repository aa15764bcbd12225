#pragma once

#include <chrono>
#include <doctest/doctest.h>
#include <variant>

#include "hw/cuda/job.h"
#include "hw/executor.h"
#include "tests/fake_gpu/fake_gpu.h"

namespace steptwin::hw::cuda {

// A machine of stand-ins for the time of a test, which must free what it makes.
struct FakeMachine {
  explicit FakeMachine(int devices) { fake_gpu::reset(devices); }
  ~FakeMachine() { CHECK(fake_gpu::live() == 0); }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;
};

// A busy machine may take long for anything: deadlines are short only where one must pass.
inline constexpr std::chrono::seconds kPatient{20};

inline Settings quick_settings(KernelMode kernels = KernelMode::timed) {
  return {kernels, kPatient};
}

inline RunOptions quick_options(int repeat = 1) {
  RunOptions options;
  options.repeat = repeat;
  options.deadline = kPatient;
  options.emulation = {false, false};
  return options;
}

inline std::variant<Run, Deadlock> run_on_fake(const Program& program,
                                               const RunOptions& options = quick_options(),
                                               const Settings& settings = quick_settings()) {
  Stop stop;
  CudaJob job(program, settings, stop);
  return execute(program, job, stop, options);
}

}  // namespace steptwin::hw::cuda
