#include "reports/intervals.h"

#include <doctest/doctest.h>

namespace steptwin::reports {
namespace {

TEST_CASE("an interval set is the shortest list of what its pieces cover") {
  const IntervalSet set({{11, 12}, {0, 4}, {2, 6}, {6, 7}, {9, 9}, {20, 10}});
  CHECK(set.intervals() == std::vector<Interval>{{0, 7}, {11, 12}});
  CHECK(set.measure_ns() == 8);
  CHECK(IntervalSet({{3, 3}}).empty());
}

TEST_CASE("a measure within bounds counts only what lies in them") {
  const IntervalSet set({{0, 7}, {11, 12}, {20, 30}});
  CHECK(set.measure_within_ns({5, 25}) == 2 + 1 + 5);
  CHECK(set.measure_within_ns({7, 11}) == 0);
  CHECK(set.measure_within_ns({25, 5}) == 0);
}

TEST_CASE("union, intersection and difference of interval sets") {
  const IntervalSet left({{0, 10}, {20, 30}});
  const IntervalSet right({{5, 8}, {10, 22}, {40, 50}});
  CHECK(united(left, right) == IntervalSet({{0, 30}, {40, 50}}));
  CHECK(intersected(left, right) == IntervalSet({{5, 8}, {20, 22}}));
  CHECK(subtracted(left, right) == IntervalSet({{0, 5}, {8, 10}, {22, 30}}));
  CHECK(subtracted(right, left) == IntervalSet({{10, 20}, {40, 50}}));
  CHECK(subtracted(left, left).empty());
}

TEST_CASE("a hole that spans several intervals is cut out of each") {
  const IntervalSet left({{0, 10}, {12, 20}, {22, 30}});
  CHECK(subtracted(left, IntervalSet({{5, 25}})) == IntervalSet({{0, 5}, {25, 30}}));
}

}  // namespace
}  // namespace steptwin::reports
