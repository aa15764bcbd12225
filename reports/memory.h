#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace steptwin::reports {

// The largest amount of device memory that a rank holds at once, the first instant at which it
// does, and what it consists of then. What is given back at an instant is gone before anything is
// taken at it.
struct MemoryPeak {
  Bytes bytes = 0;
  TimeNs at_ns = 0;
  std::array<Bytes, kMemoryClasses> by_class = {};  // in the order of MemoryClass

  friend bool operator==(const MemoryPeak&, const MemoryPeak&) = default;
};

// One for each rank; nothing where the trace says nothing of its memory.
std::vector<std::optional<MemoryPeak>> memory_peaks(const Trace& trace);

// The unit in which bytes, or less of them, are read best: KiB, MiB or GiB.
struct BinaryUnit {
  std::string_view name;
  double bytes = 1;
};
BinaryUnit binary_unit(Bytes bytes);

}  // namespace steptwin::reports
