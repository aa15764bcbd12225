#pragma once

#include <memory>

#include "hw/cuda/backend.h"

namespace steptwin::hw::cuda {

// What the part of the backend that is loaded on demand offers.
struct Module {
  Probe (*probe)() = nullptr;
  std::unique_ptr<Job> (*make_job)(const Program&, const Settings&, Stop&, Team*) = nullptr;
};

inline constexpr const char* kModuleFile = "libsteptwin_cuda.so";
inline constexpr const char* kModuleSymbol = "steptwin_cuda_module";

}  // namespace steptwin::hw::cuda
