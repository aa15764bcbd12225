#pragma once

#include "hw/cuda/backend.h"

namespace steptwin::hw::cuda {

// The devices that the driver shows. The first call in a process that is anything to the driver:
// it also says how the driver is to be set up, unless the environment does.
Probe probe_devices();

}  // namespace steptwin::hw::cuda
