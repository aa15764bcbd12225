#pragma once

#include <cstdint>
#include <vector>

#include "model/schedules/zb_heuristic.h"
#include "model/units.h"

namespace steptwin {

// One greedy order of the zero-bubble heuristic, and the three choices it leaves open.
//
// Micro-batch 0 runs down the pipeline. Before its backward comes back each stage adds forwards
// while they fit in the wait and in the memory, but fewer than the stage before it. Then, for each
// further micro-batch, two sweeps:
//   forwards, first stage to last: each stage adds one forward, unless it better waits
//     (`backward_first`) or a later stage does;
//   backwards, last stage to first: each stage adds its next BWD_INPUT.
// Before each of these a stage with open BWD_WEIGHTs runs as many as it must to stay within its
// memory and as many as fit before the input arrives. A gap that is too short for a BWD_WEIGHT is
// left if the stage can afford it, that is, if it is at most
//   (largest bubble of any stage so far) - (the stage's own bubble so far);
// otherwise one more BWD_WEIGHT delays the step.
// Bubbles count from a stage's first forward on.
struct ZbGreedyChoices {
  // Waiting for the first backward: true adds a forward only if it ends before the backward
  // arrives, false also if it merely starts before.
  bool bubble_before_first_backward = true;
  // A stage two or more forwards ahead of the next holds back when the next stage's backward would
  // arrive before the forward ends and the wait is one it can afford.
  bool backward_first = true;
  // No gap is left while there is a BWD_WEIGHT to fill it.
  bool fill_every_gap = true;
};

enum class ZbWork : std::uint8_t { forward, backward_input, backward_weight };

struct ZbGreedyOrder {
  std::vector<std::vector<ZbWork>> stages;  // each kind runs through the micro-batches in order
  TimeNs longest_span = 0;
};

// memory_halves: the limit of each stage, two per micro-batch; at least 2.
ZbGreedyOrder zb_greedy(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                        std::int64_t memory_halves, const ZbGreedyChoices& choices);

}  // namespace steptwin
