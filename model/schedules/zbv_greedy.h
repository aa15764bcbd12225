#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/schedules/v_pass.h"
#include "model/schedules/zb_heuristic.h"
#include "model/units.h"

namespace steptwin {

// One greedy order of the zero-bubble heuristic on the V map, and the choices it leaves open.
//
// Warm-up: micro-batch 0 runs down the V and up again. While a rank waits for it to come back, and
// as long as it keeps room for what the ranks after it will need, it adds forwards down, and with
// it all ranks before it: those that fit into the wait, and in any case one for each stage that
// micro-batch 0 passes meanwhile, without which the ranks after it would run dry. Then the ranks
// from the last to the second add forwards, down and up in turn, until each has as many as the rank
// before it and more of them on the way up.
//
// Then, 2 M times, every rank runs one backward and one forward:
//   backward  down if there is one to run and its gradient is there or nothing is left to run up;
//             otherwise up. The ranks that run one down go first, last to first rank, then the
//             others, first to last.
//   forward   up if its input is there, otherwise down if its input is there, otherwise none
//
// Before each of them a rank runs as many of its open BWD_WEIGHTs, oldest first, as it must to stay
// within its memory and as many as fit before the input arrives. A gap that is too short for one is
// left if the rank can afford it, that is, if it is at most
//   (largest bubble of any rank so far, or granted) - (the rank's own bubble so far)
// or a choice says so. Bubbles count from a rank's first forward on. `granted` are the bubbles that
// the ranks had in an earlier attempt: those with less than the largest may idle as much more.
struct ZbvGreedyChoices {
  bool fill_before_forward = true;      // no gap before a forward while there is a BWD_WEIGHT
  bool fill_before_backward_up = true;  // nor before a backward up
  std::vector<TimeNs> granted;          // by rank, or empty
};

struct ZbvWork {
  bool is_weight = false;  // BWD_WEIGHT of the stage whose backward is `pass`
  VPass pass = VPass::forward_down;
};

struct ZbvGreedyOrder {
  std::vector<std::vector<ZbvWork>> ranks;  // each kind runs through the micro-batches in order
  std::vector<TimeNs> bubbles;              // by rank
  TimeNs longest_span = 0;

  TimeNs largest_bubble() const;
};

// costs: one value for each of the 2 R stages. memory_quarters: what a rank may hold, in quarters
// of a micro-batch of its two stages: a forward takes two, BWD_INPUT frees one and BWD_WEIGHT the
// other. At least 4 R.
//
// With 4 R the passes run in an order that does not depend on the costs, and there is always one.
// With more, a wait may be so long that forwards fill a rank which its neighbours need for others:
// then nothing is returned. It takes stages of quite different costs.
std::optional<ZbvGreedyOrder> zbv_greedy(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                                         std::int64_t memory_quarters,
                                         const ZbvGreedyChoices& choices);

}  // namespace steptwin
