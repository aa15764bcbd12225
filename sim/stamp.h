#pragma once

#include <cstdint>

#include "model/units.h"

namespace steptwin::sim {

// A point in simulated time, finer than a nanosecond: one instant is worked off in rounds, and a
// round has phases.
//
//   phase 0        (a) kernels end, wait entries are passed
//   phase 1 + i    (b) the turn of host thread i
//   phase kHeads   (c) stream heads become ready, transfers begin
//
// Everything of the timing rules that depends on who comes first at one instant is an order of
// stamps, so ranks can be evaluated in any order and still agree to the nanosecond with a
// simulator that steps from instant to instant.
struct Stamp {
  TimeNs time = 0;
  std::int64_t sub = 0;  // round * 2^24 + phase
};

inline constexpr int kPhaseBits = 24;
inline constexpr std::int64_t kHeads = (std::int64_t{1} << kPhaseBits) - 1;

inline bool operator<(const Stamp& left, const Stamp& right) {
  return left.time < right.time || (left.time == right.time && left.sub < right.sub);
}
inline bool operator==(const Stamp& left, const Stamp& right) {
  return left.time == right.time && left.sub == right.sub;
}
inline const Stamp& later(const Stamp& left, const Stamp& right) {
  return left < right ? right : left;
}

// The thread's turn in the first round of an instant.
inline Stamp first_turn(TimeNs time, std::int32_t thread) {
  return {time, 1 + std::int64_t{thread}};
}

// The thread's first turn after a stamp: in the same round if that turn is still to come.
inline Stamp turn_after(const Stamp& stamp, std::int32_t thread) {
  const std::int64_t round = stamp.sub >> kPhaseBits;
  const std::int64_t turn = (round << kPhaseBits) + 1 + thread;
  return {stamp.time, turn > stamp.sub ? turn : turn + (std::int64_t{1} << kPhaseBits)};
}

// The same thread's turn one round later.
inline Stamp next_turn(const Stamp& turn) {
  return {turn.time, turn.sub + (std::int64_t{1} << kPhaseBits)};
}

// Phase (c) of the stamp's round: when a stream head whose last condition came true becomes ready.
inline Stamp heads_of_round(const Stamp& stamp) {
  return {stamp.time, stamp.sub | kHeads};
}

// Phase (a) at or after the stamp: when a wait entry whose last condition came true is passed.
inline Stamp passing_after(const Stamp& stamp) {
  if ((stamp.sub & kHeads) == 0) return stamp;
  return {stamp.time, ((stamp.sub >> kPhaseBits) + 1) << kPhaseBits};
}

// When work that begins in phase (c) of `start` ends: in the first round of a later instant, or,
// without duration, in the next round of the same one.
inline Stamp end_of_work(const Stamp& start, TimeNs duration) {
  if (duration > 0) return {start.time + duration, 0};
  return passing_after(start);
}

}  // namespace steptwin::sim
