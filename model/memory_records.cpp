#include "model/memory_records.h"

#include <algorithm>
#include <tuple>

namespace steptwin {
namespace {

TimeNs time_of(const MemoryChange& change, std::span<const KernelTimes> times) {
  TimeNs at_ns = 0;
  for (const std::int32_t kernel : change.kernels) {
    if (kernel < 0) continue;
    const KernelTimes& of_kernel = times[static_cast<std::size_t>(kernel)];
    switch (change.moment) {
      case MemoryMoment::beginning:
        break;
      case MemoryMoment::ready:
        at_ns = std::max(at_ns, of_kernel.ready_ns);
        break;
      case MemoryMoment::start:
        at_ns = std::max(at_ns, of_kernel.start_ns);
        break;
      case MemoryMoment::end:
        at_ns = std::max(at_ns, of_kernel.end_ns);
        break;
    }
  }
  return at_ns;
}

}  // namespace

std::vector<MemoryRecord> memory_records(const Program& program,
                                         std::span<const KernelTimes> times) {
  std::vector<MemoryRecord> records;
  records.reserve(program.memory.size());
  for (const MemoryChange& change : program.memory) {
    records.push_back({change.rank, time_of(change, times), change.memory, change.bytes});
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const MemoryRecord& left, const MemoryRecord& right) {
                     return std::tuple(left.rank, left.at_ns, left.bytes > 0) <
                            std::tuple(right.rank, right.at_ns, right.bytes > 0);
                   });
  return records;
}

}  // namespace steptwin
