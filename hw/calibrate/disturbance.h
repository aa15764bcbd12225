#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hw/stop.h"

namespace steptwin::hw {

// How much a measurement was disturbed by others who use the same cores. Both figures are taken
// beside the measurement, so that they can tell a disturbed one from a wrong prediction.
struct Disturbance {
  // How much slower or faster the cores were at products after it than before: 0.1 for a tenth.
  double rate_change = 0;
  // Share of the cores' time that the hypervisor gave to others meanwhile; 0 where nothing tells.
  double stolen = 0;
};

// Below what its prediction is asked to be right to.
bool is_small(const Disturbance& disturbance);

// Ticks that the cores did anything, idled or were stolen, of all since the machine has started.
struct CoreTicks {
  std::int64_t all = 0;
  std::int64_t stolen = 0;
};

// From the first line of Linux's /proc/stat; none of any other text.
std::optional<CoreTicks> core_ticks(std::string_view proc_stat);

// Watches from when it is made, which takes a fifth of a second, to end(), which takes half that.
class DisturbanceWatch {
 public:
  explicit DisturbanceWatch(const Stop& stop);
  // Floating-point operations per second of one core whose fellows idle.
  double flops_per_second() const { return alone_; }
  Disturbance end() const;

 private:
  double together() const;

  const Stop* stop_;
  double alone_ = 0;
  double together_ = 0;
  std::optional<CoreTicks> ticks_;
};

}  // namespace steptwin::hw
