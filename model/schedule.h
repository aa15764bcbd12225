#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/step.h"

namespace steptwin {

// Which pipeline rank holds which stage. Stages are numbered 0..N-1 along the model.
//
//   loop     rank = stage mod R
//   v        zig-zag of period R: 0..R-1, R-1..0, 0..R-1, ...; for V = 2: s < R ? s : 2R-1-s
//   explicit rank_of_stage as the user listed it
//
// With `copies` of the model (DualPipe has two) the stages of one copy are numbered after those of
// the copy before it, N / copies each. Nothing flows from copy to copy: each has a first stage and
// a last one, and a share of the micro-batches of its own.
struct StageMap {
  static constexpr std::int32_t kNoStage = -1;

  std::int32_t ranks = 0;
  std::vector<std::int32_t> rank_of_stage;
  std::int32_t copies = 1;

  std::int32_t stages() const { return static_cast<std::int32_t>(rank_of_stage.size()); }
  std::int32_t rank_of(std::int32_t stage) const;
  // The neighbours of a stage in its copy of the model; kNoStage at its ends. A stage that does not
  // exist has none.
  std::int32_t stage_before(std::int32_t stage) const;
  std::int32_t stage_after(std::int32_t stage) const;
  std::vector<std::int32_t> stages_of(std::int32_t rank) const;  // ascending

  friend bool operator==(const StageMap&, const StageMap&) = default;
};

StageMap loop_map(std::int32_t ranks, std::int32_t chunks_per_rank);
StageMap v_map(std::int32_t ranks, std::int32_t chunks_per_rank);
// Two copies of a model of R stages, from either end of the ranks: stage s on rank s, and stage
// R + s, which is its replica, on rank R-1-s.
StageMap mirrored_map(std::int32_t ranks);

// What one training step is made of: for each pipeline rank an ordered list of steps and bubbles.
struct Schedule {
  std::string name;  // "1f1b", or where it came from
  StageMap stages;
  std::int32_t micro_batches = 0;
  std::vector<StepList> ranks;

  // Whether the micro-batch runs through the stage: copy c of C has micro-batches c M/C to
  // (c+1) M/C - 1, rounded down.
  bool runs(std::int32_t stage, std::int32_t micro) const;
};

bool has_transfers(const Schedule& schedule);  // FWD_SEND, FWD_RECV, BWD_SEND, BWD_RECV

// Calls visit(step) for `step`, or for each of its sub-steps if it is a composite.
template <typename Visit>
void for_each_leaf(const Step& step, Visit&& visit) {
  if (step.sub_steps().empty()) {
    visit(step);
  } else {
    for (const Step& sub_step : step.sub_steps()) visit(sub_step);
  }
}

}  // namespace steptwin
