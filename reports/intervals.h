#pragma once

#include <vector>

#include "model/units.h"

namespace steptwin::reports {

// Half-open: [begin, end). Intervals that touch do not overlap; one with end <= begin is empty.
struct Interval {
  TimeNs begin_ns = 0;
  TimeNs end_ns = 0;

  TimeNs length_ns() const { return end_ns > begin_ns ? end_ns - begin_ns : 0; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// A set of instants, exact. Kept as the shortest list of intervals: ascending, none empty, no two
// overlapping or touching. Making one costs a sort; everything below is linear.
//
//   pieces   [0,4) [2,6) [6,7) [9,9) [11,12)
//   set      [0,7)             [11,12)          measure 8
class IntervalSet {
 public:
  IntervalSet() = default;
  explicit IntervalSet(std::vector<Interval> pieces);  // in any order, overlapping as they like

  const std::vector<Interval>& intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }
  TimeNs measure_ns() const;
  TimeNs measure_within_ns(Interval bounds) const;  // logarithmic + the intervals met

  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  std::vector<Interval> intervals_;
};

IntervalSet united(const IntervalSet& left, const IntervalSet& right);
IntervalSet intersected(const IntervalSet& left, const IntervalSet& right);
IntervalSet subtracted(const IntervalSet& left, const IntervalSet& right);  // left without right

}  // namespace steptwin::reports
