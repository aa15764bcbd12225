#include "reports/import/pp_summary.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "model/error.h"
#include "reports/latency.h"

namespace steptwin::reports {
namespace {

constexpr std::int32_t kMedian = 50;

TimeNs percentile_of(std::vector<TimeNs> values, std::int32_t percent) {
  std::sort(values.begin(), values.end());
  return percentile(values, percent).value_or(0);
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];  // nearest rank
}

PpRankSummary rank_summary(const PpDump& dump, std::size_t first, std::int32_t rank) {
  PpRankSummary summary;
  summary.rank = rank;
  std::vector<TimeNs> forwards;
  std::vector<TimeNs> backwards;
  std::vector<TimeNs> computes;
  std::vector<double> bubbles;
  for (std::size_t at = first; at < dump.iterations.size(); ++at) {
    const PpIteration& iteration = dump.iterations[at];
    const PpRank& recorded = iteration.ranks[static_cast<std::size_t>(rank)];
    for (const Interval& span : recorded.forward) forwards.push_back(span.length_ns());
    for (const Interval& span : recorded.backward) backwards.push_back(span.length_ns());
    computes.push_back(compute_ns(recorded));
    const std::optional<double> bubble = bubble_ratio(iteration, rank);
    if (bubble) bubbles.push_back(*bubble);
    if (recorded.memory_gb) {
      summary.memory_gb = std::max(summary.memory_gb.value_or(0), *recorded.memory_gb);
    }
  }
  summary.forward_ns = percentile_of(std::move(forwards), kMedian);
  summary.backward_ns = percentile_of(std::move(backwards), kMedian);
  summary.compute_ns = percentile_of(std::move(computes), kMedian);
  summary.bubble_ratio = median_of(std::move(bubbles));
  return summary;
}

}  // namespace

std::int32_t default_warmup(const PpDump& dump) {
  return std::min<std::int32_t>(2, static_cast<std::int32_t>(dump.iterations.size()) - 1);
}

void require_iterations(const PpDump& dump, std::int32_t warmup) {
  const std::size_t count = dump.iterations.size();
  if (static_cast<std::size_t>(warmup) < count) return;
  throw Error({dump.folder, 0, 0},
              fmt::format("has {} iteration{}, of which {} are left out as warm-up", count,
                          count == 1 ? "" : "s", warmup),
              "fewer iterations of warm-up");
}

PpSummary summary_of(const PpDump& dump, std::int32_t warmup) {
  require_iterations(dump, warmup);
  PpSummary summary;
  summary.folder = dump.folder;
  summary.micro_batches = dump.micro_batches;
  summary.warmup = warmup;
  summary.uniform_bubble_ratio = static_cast<double>(dump.ranks - 1) /
                                 static_cast<double>(dump.micro_batches + dump.ranks - 1);
  const auto first = static_cast<std::size_t>(warmup);
  std::vector<TimeNs> steps;
  std::vector<double> bubbles;
  for (std::size_t at = first; at < dump.iterations.size(); ++at) {
    const PpIteration& iteration = dump.iterations[at];
    summary.iterations.push_back(
        {iteration.number, step_time_ns(iteration), mean_bubble_ratio(iteration)});
    steps.push_back(summary.iterations.back().step_ns);
    if (summary.iterations.back().bubble_ratio) {
      bubbles.push_back(*summary.iterations.back().bubble_ratio);
    }
  }
  summary.step_p50_ns = percentile_of(steps, kMedian);
  summary.step_p5_ns = percentile_of(steps, 5);
  summary.step_p95_ns = percentile_of(std::move(steps), 95);
  summary.bubble_ratio = median_of(std::move(bubbles));
  for (std::int32_t rank = 0; rank < dump.ranks; ++rank) {
    summary.ranks.push_back(rank_summary(dump, first, rank));
  }
  return summary;
}

}  // namespace steptwin::reports
