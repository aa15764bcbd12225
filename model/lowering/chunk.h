#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"
#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin {

// What a stage computes, as the sequence of kernels and hooks that a thread issues.
//
//   MoE layer, forward    attention  A dispatch B  experts  C combine D
//   dense layer, forward  attention  mlp
//   first stage of a model begins with embedding, last stage ends with head
//   backward              the exact reverse, kernel by kernel and hook by hook
//
// With costs per stage a chunk is one kernel and has no hooks.
struct ChunkItem {
  bool is_hook = false;
  Hook hook = Hook::none;
  bool last_hook = false;  // D of the chunk's last MoE layer
  KernelKind kind = KernelKind::compute;
  Part part = Part::chunk;
  std::int32_t layer = -1;  // within the stage
  std::int32_t launches = 1;
  TimeNs duration_ns = 0;
  Bytes bytes = 0;
  bool host_waits = false;  // the host reads the result before it goes on (counts exchange)
};

// The four ways to run a chunk.
struct Chunk {
  std::vector<ChunkItem> forward;
  std::vector<ChunkItem> backward;         // data and weight gradients in one kernel
  std::vector<ChunkItem> backward_input;   // all communication, the data-gradient parts
  std::vector<ChunkItem> backward_weight;  // the weight-gradient parts, compute only
};

// One for each stage.
std::vector<Chunk> make_chunks(const Scenario& scenario, const StageMap& stages);

}  // namespace steptwin
