#include "standstill/overdue.h"

#include <algorithm>
#include <span>

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
  std::string text;
  for (std::size_t rank = 0; rank < standstill.ranks.size(); ++rank) {
    const std::vector<StoppedStream>& streams = standstill.ranks[rank].streams;
    for (std::size_t index = 0; index < streams.size(); ++index) {
      const StoppedStream& stream = streams[index];
      if (static_cast<std::size_t>(stream.passed) >= stream.entries.size()) continue;
      const std::int32_t head = stream.entries[static_cast<std::size_t>(stream.passed)];
      if (head < 0) continue;  // a wait, of which others are the reason
      if (!has_all(standstill, standstill.program->kernels[static_cast<std::size_t>(head)])) {
        continue;
      }
      text += text.empty() ? "" : "; ";
      text += stream_text(standstill, static_cast<std::int32_t>(rank),
                          static_cast<std::int32_t>(index)) +
              ", for which nothing is missing";
    }
  }
  return text;
}

}  // namespace steptwin
