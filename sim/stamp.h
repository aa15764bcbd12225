#pragma once

#include <cstdint>

#include "model/units.h"

namespace steptwin::sim {

// A point in simulated time, finer than a nanosecond: one instant is worked off in rounds, and a
// round has phases.
//
//   phase 0        (a) kernels end, wait entries are passed
//   phase 1, 2     (b) the turn of main, and of the forked thread that lives then
//   phase kHeads   (c) stream heads become ready, transfers begin
//
// Of an instant no more than 2^30 rounds are told apart: in each of them a command or a kernel
// ends, and a Program with so many has no room in memory.
//
// Everything of the timing rules that depends on who comes first at one instant is an order of
// stamps, so ranks can be evaluated in any order and still agree to the nanosecond with a
// simulator that steps from instant to instant.
struct Stamp {
  TimeNs time = 0;
  std::uint32_t sub = 0;  // round * 4 + phase
};

inline constexpr std::uint32_t kHeads = 3;
inline constexpr std::uint32_t kRound = 4;

inline bool operator<(const Stamp& left, const Stamp& right) {
  return left.time < right.time || (left.time == right.time && left.sub < right.sub);
}
inline bool operator==(const Stamp& left, const Stamp& right) {
  return left.time == right.time && left.sub == right.sub;
}
inline const Stamp& later(const Stamp& left, const Stamp& right) {
  return left < right ? right : left;
}

inline std::uint32_t turn_of(std::int32_t thread) {
  return thread == 0 ? 1 : 2;
}

// The thread's turn in the first round of an instant.
inline Stamp first_turn(TimeNs time, std::int32_t thread) {
  return {time, turn_of(thread)};
}

// The thread's first turn after a stamp: in the same round if that turn is still to come.
inline Stamp turn_after(const Stamp& stamp, std::int32_t thread) {
  const std::uint32_t turn = (stamp.sub & ~kHeads) + turn_of(thread);
  return {stamp.time, turn > stamp.sub ? turn : turn + kRound};
}

// The same thread's turn one round later.
inline Stamp next_turn(const Stamp& turn) {
  return {turn.time, turn.sub + kRound};
}

// Phase (c) of the stamp's round: when a stream head whose last condition came true becomes ready.
inline Stamp heads_of_round(const Stamp& stamp) {
  return {stamp.time, stamp.sub | kHeads};
}

// Phase (a) at or after the stamp: when a wait entry whose last condition came true is passed.
inline Stamp passing_after(const Stamp& stamp) {
  if ((stamp.sub & kHeads) == 0) return stamp;
  return {stamp.time, (stamp.sub | kHeads) + 1};
}

// When work that begins in phase (c) of `start` ends: in the first round of a later instant, or,
// without duration, in the next round of the same one.
inline Stamp end_of_work(const Stamp& start, TimeNs duration) {
  if (duration > 0) return {start.time + duration, 0};
  return passing_after(start);
}

}  // namespace steptwin::sim
