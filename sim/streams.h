#pragma once

#include <cstdint>

#include "sim/state.h"
#include "sim/work_ends.h"

namespace steptwin::sim {

// Passes entries at the head of the stream as far as their stamps can be known by now, begins
// transfers whose participants are all there, and activates whoever that lets go on.
//
//   a kernel is ready at   heads_of_round(later(appended, previous entry passed))
//   compute, copy          start = ready; end = end_of_work(start, duration)
//   p2p part               start = later(both arrivals); end = end_of_work(start, transfer)
//   eager p2p part         at its sender start = its arrival, end = end_of_work(start, transfer);
//                          at its receiver start = later(both arrivals),
//                          end = passing_after(later(its arrival, the sender's end))
//   p2p kernel             start, end = first start, last end of its parts
//   collective             start = latest arrival; end = end_of_work(start, duration)
//   a wait is passed at    passing_after(later(appended, previous passed, event complete))
//
// Where `ends` says that an end is not known yet, the kernel stays in flight until finish_work.
// Throws Error if two calls that meet differ in kind or size.
template <typename Ends>
void advance_stream(State& state, Ends& ends, std::int32_t stream);

extern template void advance_stream(State& state, KnownEnds& ends, std::int32_t stream);
extern template void advance_stream(State& state, SharedEnds& ends, std::int32_t stream);

// Work that was announced has ended.
void finish_work(State& state, SharedEnds& ends, const WorkOwner& owner, const Stamp& end);

}  // namespace steptwin::sim
