#include "sim/stamp.h"

#include <doctest/doctest.h>

// One instant, worked off in rounds; a round: (a) ends and waits, (b) the threads' turns in order,
// (c) stream heads.
//
//   time 5   round 0:  a  b0 b1 .. c      round 1:  a  b0 b1 .. c
namespace steptwin::sim {
namespace {

Stamp phase_a(TimeNs time, std::uint32_t round) {
  return {time, round * kRound};
}
Stamp turn(TimeNs time, std::uint32_t round, std::uint32_t thread) {
  return {time, round * kRound + 1 + thread};
}
Stamp phase_c(TimeNs time, std::uint32_t round) {
  return {time, round * kRound + kHeads};
}

TEST_CASE("stamps are ordered by time, round and phase") {
  CHECK(phase_a(5, 0) < turn(5, 0, 0));
  CHECK(turn(5, 0, 0) < turn(5, 0, 1));
  CHECK(turn(5, 0, 1) < phase_c(5, 0));
  CHECK(phase_c(5, 0) < phase_a(5, 1));
  CHECK(phase_c(5, 7) < phase_a(6, 0));
  CHECK_FALSE(turn(5, 0, 1) < turn(5, 0, 1));
  CHECK(later(turn(5, 0, 1), turn(5, 1, 0)) == turn(5, 1, 0));
  CHECK(later(turn(6, 0, 1), turn(5, 1, 0)) == turn(6, 0, 1));
}

TEST_CASE("the first turn of an instant is in its first round") {
  CHECK(first_turn(5, 0) == turn(5, 0, 0));
  CHECK(first_turn(5, 3) == turn(5, 0, 1));  // one forked thread lives at a time
}

TEST_CASE("a thread's next turn is in the same round if that is still to come") {
  CHECK(turn_after(phase_a(5, 2), 0) == turn(5, 2, 0));
  CHECK(turn_after(turn(5, 2, 0), 1) == turn(5, 2, 1));  // main completes, the other goes on
  CHECK(turn_after(turn(5, 2, 1), 0) == turn(5, 3, 0));  // the other way round: next round
  CHECK(turn_after(turn(5, 2, 1), 1) == turn(5, 3, 1));  // at most one command a round
  CHECK(turn_after(phase_c(5, 2), 0) == turn(5, 3, 0));
}

TEST_CASE("heads become ready at the end of the round, waits are passed at the start of the next") {
  CHECK(heads_of_round(phase_a(5, 2)) == phase_c(5, 2));
  CHECK(heads_of_round(turn(5, 2, 1)) == phase_c(5, 2));
  CHECK(heads_of_round(phase_c(5, 2)) == phase_c(5, 2));
  CHECK(passing_after(phase_a(5, 2)) == phase_a(5, 2));
  CHECK(passing_after(turn(5, 2, 0)) == phase_a(5, 3));
  CHECK(passing_after(phase_c(5, 2)) == phase_a(5, 3));
}

TEST_CASE("work ends in the first round of a later instant, or in the next round of this one") {
  CHECK(end_of_work(phase_c(5, 2), 3) == phase_a(8, 0));
  CHECK(end_of_work(phase_c(5, 2), 0) == phase_a(5, 3));
}

}  // namespace
}  // namespace steptwin::sim
