#include "hw/cuda/meetings.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace steptwin::hw::cuda {
namespace {

struct End {
  std::int64_t kernel = 0;
  std::int32_t part = 0;  // of the Program
};

class Matching {
 public:
  Matching(const Program& program, Stamps& stamps) : program_(program), stamps_(stamps) {}

  void note(std::int64_t index) {
    const Kernel& own = kernel(index);
    if (own.kind == KernelKind::p2p) {
      for (std::int32_t offset = 0; offset < own.part_count; ++offset) {
        note_part({index, own.first_part + offset});
      }
    } else {
      const std::size_t position = calls_made_[{own.communicator, own.rank}]++;
      calls_[{own.communicator, position}].push_back(index);
    }
  }

  void finish() {
    for (const auto& [key, members] : calls_) start_together(members);
    for (const auto& kernels : stamps_.communications) {
      for (const std::int64_t index : kernels) {
        if (kernel(index).kind == KernelKind::p2p) close(index);
      }
    }
  }

 private:
  const Kernel& kernel(std::int64_t index) const {
    return program_.kernels[static_cast<std::size_t>(index)];
  }
  KernelTimes& times(std::int64_t index) {
    return stamps_.kernels[static_cast<std::size_t>(index)];
  }
  TimeSpan& span(std::int32_t part) { return stamps_.parts[static_cast<std::size_t>(part)]; }

  void note_part(End own) {
    const P2pPart& part = program_.p2p_parts[static_cast<std::size_t>(own.part)];
    const Kernel& at = kernel(own.kernel);
    const std::int32_t sender = part.is_send ? at.rank : part.peer;
    const std::int32_t receiver = part.is_send ? part.peer : at.rank;
    // Ends of one side alone stand in a channel at any time.
    std::deque<std::pair<End, bool>>& open = open_[{at.communicator, sender, receiver}];
    if (open.empty() || open.front().second == part.is_send) {
      open.emplace_back(own, part.is_send);
      return;
    }
    const End other = open.front().first;
    open.pop_front();
    const TimeSpan both{std::max(times(own.kernel).ready_ns, times(other.kernel).ready_ns),
                        std::min(times(own.kernel).end_ns, times(other.kernel).end_ns)};
    span(own.part) = span(other.part) = {std::min(both.begin_ns, both.end_ns), both.end_ns};
  }

  void start_together(const std::vector<std::int64_t>& members) {
    TimeNs start = 0;
    for (const std::int64_t member : members) start = std::max(start, times(member).ready_ns);
    for (const std::int64_t member : members) {
      times(member).start_ns = std::min(start, times(member).end_ns);
    }
  }

  void close(std::int64_t index) {
    const Kernel& own = kernel(index);
    TimeNs start = std::numeric_limits<TimeNs>::max();
    std::int32_t last = own.first_part;
    for (std::int32_t part = own.first_part; part < own.first_part + own.part_count; ++part) {
      start = std::min(start, span(part).begin_ns);
      if (span(part).end_ns > span(last).end_ns) last = part;
    }
    times(index).start_ns = start;
    span(last).end_ns = times(index).end_ns;
  }

  const Program& program_;
  Stamps& stamps_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::deque<std::pair<End, bool>>>
      open_;  // by communicator, sender, receiver
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> calls_made_;  // communicator, rank
  std::map<std::pair<std::int32_t, std::size_t>, std::vector<std::int64_t>>
      calls_;  // by communicator, position
};

}  // namespace

void find_starts(const Program& program, Stamps& stamps) {
  Matching matching(program, stamps);
  for (const auto& kernels : stamps.communications) {
    for (const std::int64_t index : kernels) matching.note(index);
  }
  matching.finish();
}

}  // namespace steptwin::hw::cuda
