#include "standstill/overdue.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

#include "standstill/describe.h"

namespace steptwin {
namespace {

bool has_all(const Standstill& standstill, const Kernel& kernel) {
  const Program& program = *standstill.program;
  if (kernel.kind == KernelKind::p2p) {
    const std::span parts(&program.p2p_parts[static_cast<std::size_t>(kernel.first_part)],
                          static_cast<std::size_t>(kernel.part_count));
    return std::none_of(parts.begin(), parts.end(),
                        [&](const P2pPart& part) { return part_waits(standstill, kernel, part); });
  }
  if (!is_collective(kernel.kind)) return true;
  const std::vector<std::int32_t>& members =
      program.communicators[static_cast<std::size_t>(kernel.communicator)].ranks;
  return std::all_of(members.begin(), members.end(),
                     [&](std::int32_t member) { return has_arrived(standstill, kernel, member); });
}

}  // namespace

std::string overdue_text(const Standstill& standstill) {
  std::vector<std::string> found;
  for (std::size_t index = 0; index < standstill.ranks.size(); ++index) {
    const StoppedRank& stopped = standstill.ranks[index];
    const auto rank = static_cast<std::int32_t>(index);
    for (std::size_t number = 0; number < stopped.streams.size(); ++number) {
      const StoppedStream& stream = stopped.streams[number];
      if (static_cast<std::size_t>(stream.passed) >= stream.entries.size()) continue;
      const std::int32_t head = stream.entries[static_cast<std::size_t>(stream.passed)];
      if (head < 0) continue;  // a wait, of which others are the reason
      if (!has_all(standstill, standstill.program->kernels[static_cast<std::size_t>(head)])) {
        continue;
      }
      found.push_back(stream_text(standstill, rank, static_cast<std::int32_t>(number)) +
                      ", for which nothing is missing");
    }
    for (std::size_t number = 0; number < stopped.threads.size(); ++number) {
      if (stopped.threads[number].stop != ThreadStop::running) continue;
      found.push_back(
          fmt::format("rank {} thread {} could go on", rank,
                      thread_name(*standstill.program, rank, static_cast<std::int32_t>(number))));
    }
  }
  std::string text;
  for (const std::string& each : found) text += (text.empty() ? "" : "; ") + each;
  return text;
}

}  // namespace steptwin
