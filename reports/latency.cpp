#include "reports/latency.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <map>

namespace steptwin::reports {

std::vector<TimeNs> micro_batch_latencies(const TraceIndex& index) {
  constexpr std::array<StepType, 3> kBackwards = {StepType::bwd, StepType::bwd_input,
                                                  StepType::bwd_weight};
  std::vector<TimeNs> latencies;
  std::map<std::int32_t, std::int32_t> first_stages;  // by micro-batch
  for (const Chunk& chunk : index.chunks()) {         // stages ascend
    if (chunk.step != StepType::fwd) continue;
    const auto [entry, is_new] = first_stages.try_emplace(chunk.micro, chunk.stage);
    if (chunk.stage != entry->second) continue;
    std::optional<TimeNs> end;
    for (const StepType step : kBackwards) {
      const Chunk* backward = index.find(step, chunk.stage, chunk.micro, chunk.rank);
      if (backward == nullptr) continue;
      const TimeNs backward_end = index.span_of(*backward).end_ns;
      end = end ? std::max(*end, backward_end) : backward_end;
    }
    if (end) latencies.push_back(*end - index.span_of(chunk).begin_ns);
  }
  std::sort(latencies.begin(), latencies.end());
  return latencies;
}

std::optional<TimeNs> percentile(const std::vector<TimeNs>& ascending, std::int32_t percent) {
  assert(percent > 0 && percent <= 100);
  if (ascending.empty()) return std::nullopt;
  const std::size_t rank = (ascending.size() * static_cast<std::size_t>(percent) + 99) / 100;
  return ascending[rank - 1];
}

}  // namespace steptwin::reports
