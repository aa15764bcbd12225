#pragma once

#include <cstdint>

#include "sim/state.h"

namespace steptwin::sim {

enum class HostProgress : std::uint8_t {
  idle,  // every thread has ended, or waits for what another advance must bring
  held,  // a thread could go on, but another one waits for an event whose time is not known yet
         // and might come first
  more,  // the visit was long enough
};

// Runs the host threads of a rank in the order of their stamps as far as that order is certain,
// but no more than a few hundred commands, so that the streams come to what was appended while it
// is still in the cache. A rank with one living thread runs ahead freely. With two, a thread in
// host_wait on an event of unknown time holds the other one back.
HostProgress advance_host(State& state, std::int32_t rank);

// The stamp of the next action of a held rank. Unknown times cannot lie before the smallest such
// stamp of all held ranks: whatever brings them about is yet to come.
Stamp held_action(const State& state, std::int32_t rank);

// Performs that one action. Only for the held rank whose held_action is the smallest.
void advance_held(State& state, std::int32_t rank);

}  // namespace steptwin::sim
