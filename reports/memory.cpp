#include "reports/memory.h"

#include <cstddef>

namespace steptwin::reports {

std::vector<std::optional<MemoryPeak>> memory_peaks(const Trace& trace) {
  std::vector<std::optional<MemoryPeak>> peaks(trace.ranks.size());
  MemoryPeak now;
  std::int32_t rank = -1;
  for (const MemoryRecord& record : trace.memory) {
    if (record.rank != rank) now = MemoryPeak{};
    rank = record.rank;
    now.bytes += record.bytes;
    now.by_class[static_cast<std::size_t>(record.memory)] += record.bytes;
    now.at_ns = record.at_ns;
    std::optional<MemoryPeak>& peak = peaks[static_cast<std::size_t>(rank)];
    // Several changes at one instant are one change: the peak is what they come to.
    if (!peak || now.bytes > peak->bytes) peak = now;
  }
  return peaks;
}

BinaryUnit binary_unit(Bytes bytes) {
  constexpr Bytes kMiB = Bytes{1} << 20U;
  constexpr Bytes kGiB = Bytes{1} << 30U;
  if (bytes >= kGiB) return {"GiB", static_cast<double>(kGiB)};
  if (bytes >= kMiB) return {"MiB", static_cast<double>(kMiB)};
  return {"KiB", 1024.0};
}

}  // namespace steptwin::reports
