#include "reports/memory_csv.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <ostream>

namespace steptwin::reports {

void write_memory_csv(const Trace& trace, std::ostream& out, const ProgressCallback& progress) {
  constexpr std::size_t kFlushBytes = 1 << 16;
  fmt::memory_buffer buffer;
  fmt::format_to(std::back_inserter(buffer), "rank,at_ns,class,bytes\n");
  const auto flush = [&buffer, &out] {
    out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    buffer.clear();
  };
  std::size_t written = 0;
  for (const MemoryRecord& record : trace.memory) {
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{},{},{},{}\n"), record.rank,
                   record.at_ns, name_of(record.memory), record.bytes);
    ++written;
    if (buffer.size() <= kFlushBytes) continue;
    flush();
    if (progress) progress(written, trace.memory.size());
  }
  flush();
}

}  // namespace steptwin::reports
