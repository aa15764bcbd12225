#include "tests/sim/result_text.h"

#include <cstddef>
#include <fmt/format.h>

namespace steptwin {

std::string times_text(const NaiveResult& result, std::int32_t kernel) {
  const KernelTimes& times = result.times[static_cast<std::size_t>(kernel)];
  return fmt::format("{} {} {} {}", times.enqueue_ns, times.ready_ns, times.start_ns, times.end_ns);
}

std::string host_text(const NaiveResult& result, std::int32_t rank, std::int32_t thread) {
  std::string text;
  for (const HostRecord& record : result.host) {
    if (record.rank != rank || record.thread != thread) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}-{}", name_of(record.command), record.begin_ns, record.end_ns);
  }
  return text;
}

std::string blocked_text(const NaiveResult& result) {
  std::string text;
  for (const NaiveBlockedThread& blocked : result.blocked_threads) {
    if (!text.empty()) text += "; ";
    text +=
        fmt::format("rank {} thread {} command {}", blocked.rank, blocked.thread, blocked.command);
  }
  for (const NaiveBlockedStream& blocked : result.blocked_streams) {
    if (!text.empty()) text += "; ";
    text += fmt::format("rank {} stream {} ", blocked.rank, blocked.stream);
    text += blocked.kernel < 0 ? std::string("wait") : fmt::format("kernel {}", blocked.kernel);
  }
  return text;
}

}  // namespace steptwin
