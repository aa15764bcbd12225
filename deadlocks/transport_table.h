#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "deadlocks/exchange.h"
#include "deadlocks/make_schedule.h"
#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin::deadlocks {

// How the transfers of a rank queue.
enum class Queues : std::uint8_t {
  per_rank,       // all in one: streams.preset = "two"
  per_pair,       // one for each neighbour: "multi_stream"
  per_direction,  // one for each neighbour and way: "per_edge"
  as_given,       // as the scenario's own [streams] have it, where that is none of these
};

// What becomes of the schedule with one transport and one discipline of queues.
struct TransportCell {
  P2pMode transport = P2pMode::plain;
  Queues queues = Queues::per_rank;
  bool is_own = false;  // the scenario's own setting
  Ending ending = Ending::not_tried;
  std::string why;         // refused: why there is no such combination
  std::string cycle_text;  // hangs: who waits for whom
  ExchangeSearch exchange;
  bool exchange_cut_short = false;
};

// Plain, batch, boundary and multi_stream, each under every discipline of queues: row by row.
struct TransportTable {
  std::vector<Queues> queues;  // the columns
  std::vector<TransportCell> cells;
};

// The scenario's own transport, as its schedule shows it: a schedule that groups transfers in
// batches, or has boundary transfers, has that transport, whatever the keys say.
P2pMode own_transport(const Schedule& schedule, const Scenario& scenario);
Queues own_queues(const Scenario& scenario);

// `schedule` as it runs in the scenario. The other transports are made of what `make` gives for
// plain transfers, of which groups that a file has are taken apart (model/passes/ungroup_p2p.h).
// The combinations cost `most_kernels` at most, and so do the exchanges that are tried against
// their deadlocks; what would cost more is not tried.
TransportTable transport_table(const Schedule& schedule, const Scenario& scenario,
                               const MakeSchedule& make, std::size_t most_kernels);

}  // namespace steptwin::deadlocks
