#pragma once

#include <cstdint>

namespace steptwin::hw {

// What a compute kernel of a real run does.
enum class KernelMode : std::uint8_t {
  timed,  // occupies its stream for the modelled time, and next to nothing of the machine
  real,   // matrix products: as much work as takes the modelled time alone
};

}  // namespace steptwin::hw
