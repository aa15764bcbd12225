#include "reports/intervals.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace steptwin::reports {
namespace {

bool begins_before(const Interval& left, const Interval& right) {
  return left.begin_ns < right.begin_ns;
}

}  // namespace

IntervalSet::IntervalSet(std::vector<Interval> pieces) {
  if (!std::is_sorted(pieces.begin(), pieces.end(), begins_before)) {
    std::sort(pieces.begin(), pieces.end(), begins_before);
  }
  for (const Interval& piece : pieces) {
    if (piece.length_ns() == 0) continue;
    if (!intervals_.empty() && piece.begin_ns <= intervals_.back().end_ns) {
      intervals_.back().end_ns = std::max(intervals_.back().end_ns, piece.end_ns);
    } else {
      intervals_.push_back(piece);
    }
  }
}

TimeNs IntervalSet::measure_ns() const {
  TimeNs sum = 0;
  for (const Interval& interval : intervals_) sum += interval.length_ns();
  return sum;
}

TimeNs IntervalSet::measure_within_ns(Interval bounds) const {
  auto interval = std::partition_point(
      intervals_.begin(), intervals_.end(),
      [&bounds](const Interval& candidate) { return candidate.end_ns <= bounds.begin_ns; });
  TimeNs sum = 0;
  for (; interval != intervals_.end() && interval->begin_ns < bounds.end_ns; ++interval) {
    sum += Interval{std::max(interval->begin_ns, bounds.begin_ns),
                    std::min(interval->end_ns, bounds.end_ns)}
               .length_ns();
  }
  return sum;
}

IntervalSet united(const IntervalSet& left, const IntervalSet& right) {
  std::vector<Interval> pieces;
  pieces.reserve(left.intervals().size() + right.intervals().size());
  std::merge(left.intervals().begin(), left.intervals().end(), right.intervals().begin(),
             right.intervals().end(), std::back_inserter(pieces), begins_before);
  return IntervalSet(std::move(pieces));
}

IntervalSet intersected(const IntervalSet& left, const IntervalSet& right) {
  std::vector<Interval> pieces;
  auto first = left.intervals().begin();
  auto second = right.intervals().begin();
  while (first != left.intervals().end() && second != right.intervals().end()) {
    pieces.push_back(
        {std::max(first->begin_ns, second->begin_ns), std::min(first->end_ns, second->end_ns)});
    if (first->end_ns < second->end_ns) {
      ++first;
    } else {
      ++second;
    }
  }
  return IntervalSet(std::move(pieces));
}

IntervalSet subtracted(const IntervalSet& left, const IntervalSet& right) {
  std::vector<Interval> pieces;
  auto hole = right.intervals().begin();
  for (const Interval& interval : left.intervals()) {
    TimeNs cursor = interval.begin_ns;
    while (hole != right.intervals().end() && hole->begin_ns < interval.end_ns) {
      pieces.push_back({cursor, hole->begin_ns});
      cursor = std::max(cursor, hole->end_ns);
      if (hole->end_ns > interval.end_ns) break;  // it may reach into the next interval
      ++hole;
    }
    pieces.push_back({cursor, interval.end_ns});
  }
  return IntervalSet(std::move(pieces));
}

}  // namespace steptwin::reports
