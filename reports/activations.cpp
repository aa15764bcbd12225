#include "reports/activations.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace steptwin::reports {

std::vector<std::vector<ActivationLife>> activation_lives(const TraceIndex& index) {
  std::vector<std::vector<ActivationLife>> lives(static_cast<std::size_t>(index.ranks()));
  const auto end_of = [&index](const Chunk& chunk, StepType step, TimeNs otherwise) {
    const Chunk* found = index.find(step, chunk.stage, chunk.micro, chunk.rank);
    return found != nullptr ? index.span_of(*found).end_ns : otherwise;
  };
  for (const Chunk& chunk : index.chunks()) {
    if (chunk.step != StepType::fwd) continue;
    const TimeNs begin = index.span_of(chunk).begin_ns;
    const TimeNs unused = index.window().end_ns;
    const TimeNs input_end =
        end_of(chunk, StepType::bwd, end_of(chunk, StepType::bwd_input, unused));
    const TimeNs end = std::max(input_end, end_of(chunk, StepType::bwd_weight, input_end));
    lives[static_cast<std::size_t>(chunk.rank)].push_back({{begin, end}, {begin, input_end}});
  }
  return lives;
}

std::vector<CountChange> count_over_time(const std::vector<Interval>& intervals) {
  std::vector<std::pair<TimeNs, std::int64_t>> steps;
  steps.reserve(intervals.size() * 2);
  for (const Interval& interval : intervals) {
    if (interval.length_ns() == 0) continue;
    steps.emplace_back(interval.begin_ns, 1);
    steps.emplace_back(interval.end_ns, -1);
  }
  std::sort(steps.begin(), steps.end());
  std::vector<CountChange> changes;
  std::int64_t count = 0;
  for (const auto& [at, step] : steps) {
    count += step;
    if (!changes.empty() && changes.back().at_ns == at) {
      changes.back().count = count;
    } else {
      changes.push_back({at, count});
    }
  }
  return changes;
}

std::int64_t most_at_once(const std::vector<Interval>& intervals) {
  std::int64_t most = 0;
  for (const CountChange& change : count_over_time(intervals)) {
    most = std::max(most, change.count);
  }
  return most;
}

}  // namespace steptwin::reports
