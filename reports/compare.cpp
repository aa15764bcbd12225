#include "reports/compare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "reports/latency.h"
#include "reports/metrics.h"

namespace steptwin::reports {
namespace {

constexpr std::int32_t kMedian = 50;
constexpr std::int32_t kMost = 90;

// Nearest rank, as in latency.h.
double nearest_rank(const std::vector<double>& ascending, std::int32_t percent) {
  const std::size_t rank = (ascending.size() * static_cast<std::size_t>(percent) + 99) / 100;
  return ascending[rank - 1];
}

struct Durations {
  DurationErrors errors;
  std::vector<double> relative;

  void add(TimeNs predicted_ns, TimeNs measured_ns) {
    ++errors.count;
    errors.predicted_ns += predicted_ns;
    errors.measured_ns += measured_ns;
    if (measured_ns == 0) {
      ++errors.measured_at_zero;
    } else {
      relative.push_back(static_cast<double>(predicted_ns - measured_ns) /
                         static_cast<double>(measured_ns));
    }
  }

  DurationErrors finished() {
    if (relative.empty()) return errors;
    std::sort(relative.begin(), relative.end());
    errors.median = nearest_rank(relative, kMedian);
    for (double& error : relative) error = std::abs(error);
    std::sort(relative.begin(), relative.end());
    errors.p90 = nearest_rank(relative, kMost);
    return errors;
  }
};

std::vector<DurationErrors> duration_errors(const Matches& matches, const Trace& predicted,
                                            const Trace& measured) {
  std::map<std::pair<Part, Direction>, Durations> groups;
  for (const Match& match : matches.pairs) {
    Durations& group = groups[{match.part, match.direction}];
    group.errors.part = match.part;
    group.errors.direction = match.direction;
    for (std::int32_t offset = 0; offset < match.part_count; ++offset) {
      const auto part_of = [offset](const Trace& trace, std::int32_t first) {
        const TracePart& part = trace.parts[static_cast<std::size_t>(first + offset)];
        return part.end_ns - part.start_ns;
      };
      group.add(part_of(predicted, match.predicted_parts), part_of(measured, match.measured_parts));
    }
    if (match.part_count == 0) group.add(match.predicted.length_ns(), match.measured.length_ns());
  }
  std::vector<DurationErrors> errors;
  errors.reserve(groups.size());
  for (auto& [unused, group] : groups) errors.push_back(group.finished());
  return errors;
}

StartErrors start_errors(const std::vector<Match>& pairs) {
  StartErrors errors;
  if (pairs.empty()) return errors;
  TimeNs first_predicted_ns = pairs.front().predicted.begin_ns;
  TimeNs first_measured_ns = pairs.front().measured.begin_ns;
  for (const Match& match : pairs) {
    first_predicted_ns = std::min(first_predicted_ns, match.predicted.begin_ns);
    first_measured_ns = std::min(first_measured_ns, match.measured.begin_ns);
  }
  std::vector<TimeNs> magnitudes;
  const Match* worst = &pairs.front();
  for (const Match& match : pairs) {
    const TimeNs error_ns = (match.predicted.begin_ns - first_predicted_ns) -
                            (match.measured.begin_ns - first_measured_ns);
    magnitudes.push_back(std::abs(error_ns));
    if (std::abs(error_ns) > std::abs(errors.worst_ns)) {
      errors.worst_ns = error_ns;
      worst = &match;
    }
  }
  errors.worst = match_words(*worst);
  std::sort(magnitudes.begin(), magnitudes.end());
  errors.median_ns = percentile(magnitudes, kMedian);
  errors.p90_ns = percentile(magnitudes, kMost);
  return errors;
}

// Pairs in which a larger value stands before a smaller one; sorts the values.
std::int64_t inversions_in(std::vector<TimeNs>& values, std::vector<TimeNs>& merged,
                           std::size_t begin, std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  std::int64_t inversions =
      inversions_in(values, merged, begin, middle) + inversions_in(values, merged, middle, end);
  std::size_t left = begin;
  std::size_t right = middle;
  for (std::size_t to = begin; to < end; ++to) {
    if (right < end && (left == middle || values[right] < values[left])) {
      inversions += static_cast<std::int64_t>(middle - left);
      merged[to] = values[right++];
    } else {
      merged[to] = values[left++];
    }
  }
  std::copy(merged.begin() + static_cast<std::ptrdiff_t>(begin),
            merged.begin() + static_cast<std::ptrdiff_t>(end),
            values.begin() + static_cast<std::ptrdiff_t>(begin));
  return inversions;
}

// Kernels that start together in the prediction come in the order of the measurement.
std::vector<StreamOrder> stream_orders(const std::vector<Match>& pairs, const Trace& predicted) {
  std::vector<const Match*> order;
  order.reserve(pairs.size());
  for (const Match& match : pairs) order.push_back(&match);
  const auto stream_of = [](const Match* match) { return std::tuple(match->rank, match->stream); };
  std::sort(order.begin(), order.end(), [&](const Match* left, const Match* right) {
    return std::tuple(stream_of(left), left->predicted.begin_ns, left->measured.begin_ns) <
           std::tuple(stream_of(right), right->predicted.begin_ns, right->measured.begin_ns);
  });
  std::vector<StreamOrder> orders;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    std::vector<TimeNs> starts;
    for (; end < order.size() && stream_of(order[end]) == stream_of(order[begin]); ++end) {
      starts.push_back(order[end]->measured.begin_ns);
    }
    const auto count = static_cast<std::int64_t>(starts.size());
    if (count > 1) {
      std::vector<TimeNs> merged(starts.size());
      const Match& first = *order[begin];
      const TraceRank& rank = predicted.ranks[static_cast<std::size_t>(first.rank)];
      orders.push_back({first.rank, rank.streams[static_cast<std::size_t>(first.stream)],
                        count * (count - 1) / 2, inversions_in(starts, merged, 0, starts.size())});
    }
    begin = end;
  }
  return orders;
}

std::vector<RankComparison> rank_comparisons(const Metrics& predicted, const Metrics& measured) {
  std::vector<RankComparison> ranks(std::max(predicted.ranks.size(), measured.ranks.size()));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankComparison& compared = ranks[rank];
    compared.rank = static_cast<std::int32_t>(rank);
    if (rank < predicted.ranks.size()) {
      compared.bubble.predicted = predicted.ranks[rank].bubble_ratio;
      compared.overlap.predicted = predicted.ranks[rank].overlap_ratio;
    }
    if (rank < measured.ranks.size()) {
      compared.bubble.measured = measured.ranks[rank].bubble_ratio;
      compared.overlap.measured = measured.ranks[rank].overlap_ratio;
    }
  }
  return ranks;
}

}  // namespace

std::optional<double> RatioPair::difference() const {
  if (!predicted || !measured) return std::nullopt;
  return *predicted - *measured;
}

Comparison compare(const Trace& predicted, const Trace& measured, Join join) {
  Comparison comparison;
  comparison.join = join;
  Matches matches = matches_of(predicted, measured, join);
  comparison.matched = static_cast<std::int64_t>(matches.pairs.size());
  comparison.durations = duration_errors(matches, predicted, measured);
  comparison.starts = start_errors(matches.pairs);
  comparison.orders = stream_orders(matches.pairs, predicted);
  comparison.only_predicted = std::move(matches.only_predicted);
  comparison.only_measured = std::move(matches.only_measured);
  const Metrics left = compute_metrics(predicted);
  const Metrics right = compute_metrics(measured);
  comparison.predicted_step_ns = left.step_time_ns;
  comparison.measured_step_ns = right.step_time_ns;
  if (right.step_time_ns > 0) {
    comparison.step_time_error = static_cast<double>(left.step_time_ns - right.step_time_ns) /
                                 static_cast<double>(right.step_time_ns);
  }
  comparison.bubble = {left.bubble_ratio, right.bubble_ratio};
  comparison.overlap = {left.overlap_ratio, right.overlap_ratio};
  comparison.ranks = rank_comparisons(left, right);
  return comparison;
}

}  // namespace steptwin::reports
