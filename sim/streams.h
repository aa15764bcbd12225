#pragma once

#include <cstdint>

#include "sim/state.h"

namespace steptwin::sim {

// Passes entries at the head of the stream as far as their stamps can be known by now, begins
// transfers whose participants are all there, and activates whoever that lets go on.
//
//   a kernel is ready at   heads_of_round(later(appended, previous entry passed))
//   compute, copy          start = ready; end = end_of_work(start, duration)
//   p2p part               start = later(both arrivals); end = end_of_work(start, transfer)
//   p2p kernel             start, end = first start, last end of its parts
//   collective             start = latest arrival; end = end_of_work(start, duration)
//   a wait is passed at    passing_after(later(appended, previous passed, event complete))
//
// Throws Error if two calls that meet differ in kind or size.
void advance_stream(State& state, std::int32_t stream);

}  // namespace steptwin::sim
