#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deadlocks/trial.h"
#include "model/program.h"
#include "model/schedule.h"
#include "sim/simulate.h"

namespace steptwin::deadlocks {

// Two steps of a rank's list that change places, with nothing but bubbles between them; or two
// boundary transfers that do, of the overlap in that one slot.
struct Exchange {
  std::int32_t rank = 0;
  std::int64_t first_slot = 0;
  std::int64_t second_slot = 0;  // first_slot for boundary transfers
  std::size_t boundary = 0;      // of the two, the place of the first in boundary_p2p
  Step first;
  Step second;
};

Schedule exchanged(const Schedule& schedule, const Exchange& exchange);

// "FWD_SEND(s0,m1) and FWD_RECV(s2,m0) on rank 0 (slots 5 and 6)"
std::string exchange_text(const Exchange& exchange);

// The exchanges that could help. Whoever is on the cycle waits for it whatever happens elsewhere,
// and on a rank of the cycle nothing matters but what stands between the steps that hang and those
// that others wait for. So they are the neighbours in that range, on every rank of the cycle; those
// first that move fewest things: two transfers before a transfer and a computation, and these
// before two computations; then by rank and place.
std::vector<Exchange> possible_exchanges(const Schedule& schedule, const Program& program,
                                         const sim::Deadlock& deadlock);

// The first of them with which the schedule passes the static checks and runs to its end.
struct ExchangeSearch {
  std::optional<Exchange> found;
  std::int32_t tried = 0;
};
ExchangeSearch find_exchange(const Schedule& schedule, const Scenario& scenario,
                             const Program& program, const sim::Deadlock& deadlock, Effort& effort);

}  // namespace steptwin::deadlocks
