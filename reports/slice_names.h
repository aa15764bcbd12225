#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"
#include "reports/trace_index.h"

namespace steptwin::reports {

// What pictures call things. F forward, B backward or its input part, W its weight part; "" else.
std::string direction_letter(Direction direction);

// "F3.1": micro-batch 3 on the rank's second stage, whatever numbers its stages have. "attention
// F3.1" where a stage has parts; "send F3.1", "recv B2.0"; "unshard s4" without a micro-batch.
class SliceNames {
 public:
  explicit SliceNames(const TraceIndex& index);

  std::string of(const TraceKernel& kernel) const;
  // The how manieth of its rank's stages; -1 for a kernel without a stage.
  std::int32_t chunk_of(const TraceKernel& kernel) const;

 private:
  std::vector<std::vector<std::int32_t>> stages_of_rank_;  // ascending
};

}  // namespace steptwin::reports
