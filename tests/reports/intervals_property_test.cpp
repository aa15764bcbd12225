#include <bitset>
#include <doctest/doctest.h>
#include <random>

#include "reports/intervals.h"

namespace steptwin::reports {
namespace {

constexpr std::uint64_t kSeed = 20240611;
constexpr std::size_t kInstants = 64;
using Instants = std::bitset<kInstants>;  // bit t: the instant [t, t+1)

std::vector<Interval> random_pieces(std::mt19937_64& random) {
  std::uniform_int_distribution<TimeNs> instant(0, kInstants);
  std::uniform_int_distribution<int> count(0, 8);
  std::vector<Interval> pieces;
  for (int piece = count(random); piece > 0; --piece) {
    const TimeNs begin = instant(random);
    pieces.push_back({begin, std::min<TimeNs>(begin + instant(random) / 6, kInstants)});
  }
  return pieces;
}

Instants instants_of(const std::vector<Interval>& pieces) {
  Instants instants;
  for (const Interval& piece : pieces) {
    for (TimeNs t = piece.begin_ns; t < piece.end_ns; ++t) instants.set(static_cast<size_t>(t));
  }
  return instants;
}

// The only shortest list there is.
std::vector<Interval> shortest_list(const Instants& instants) {
  std::vector<Interval> list;
  for (std::size_t t = 0; t < kInstants; ++t) {
    if (!instants[t]) continue;
    const auto begin = static_cast<TimeNs>(t);
    if (!list.empty() && list.back().end_ns == begin) {
      list.back().end_ns = begin + 1;
    } else {
      list.push_back({begin, begin + 1});
    }
  }
  return list;
}

TEST_CASE("interval sets agree with a map of single nanoseconds") {
  std::mt19937_64 random(kSeed);
  CAPTURE(kSeed);
  for (int round = 0; round < 5000; ++round) {
    CAPTURE(round);
    const std::vector<Interval> left_pieces = random_pieces(random);
    const std::vector<Interval> right_pieces = random_pieces(random);
    const IntervalSet left(left_pieces);
    const IntervalSet right(right_pieces);
    const Instants a = instants_of(left_pieces);
    const Instants b = instants_of(right_pieces);
    REQUIRE(left.intervals() == shortest_list(a));
    REQUIRE(left.measure_ns() == static_cast<TimeNs>(a.count()));
    REQUIRE(united(left, right).intervals() == shortest_list(a | b));
    REQUIRE(intersected(left, right).intervals() == shortest_list(a & b));
    REQUIRE(subtracted(left, right).intervals() == shortest_list(a & ~b));
    for (const Interval& bounds : right_pieces) {
      REQUIRE(left.measure_within_ns(bounds) ==
              static_cast<TimeNs>((a & instants_of({bounds})).count()));
    }
  }
}

}  // namespace
}  // namespace steptwin::reports
