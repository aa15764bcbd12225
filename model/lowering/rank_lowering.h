#pragma once

#include <cstdint>
#include <vector>

#include "model/lowering/chunk.h"
#include "model/lowering/outstanding_streams.h"
#include "model/lowering/rank_writer.h"
#include "model/lowering/stream_plan.h"
#include "model/lowering/tensor_cache.h"
#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin {

// Lowers the step list of one rank, step by step.
class RankLowering {
 public:
  RankLowering(const Schedule& schedule, const Scenario& scenario, const std::vector<Chunk>& chunks,
               StreamPlan& plan, Program& program, std::int32_t rank);

  void lower_step(const Step& step);

  // Compute waits for the communication that it does not wait for yet.
  void finish();

 private:
  // An event of a communication kernel, for which the compute stream may be waiting already: then
  // only what waits on another stream has to wait for it.
  struct Pending {
    std::int32_t event = -1;
    bool compute_waits = false;
  };

  void lower_compute(const Step& step, bool in_window);
  void lower_send(const Step& step);
  void lower_recv(const Step& step);
  void lower_overlap(const Step& step);
  void issue_hook(const ChunkItem& item, bool forward);
  void issue_compute(const ChunkItem& item, const Step& step);
  void issue_collective(const ChunkItem& item, const Step& step);
  void order_after_compute(std::int32_t stream);
  void gather_inputs(const Step& step, bool forward);
  void add_received(std::int32_t& event);
  void add_result(std::int32_t& event);
  void compute_waits(std::int32_t event);
  void compute_waits_for_pending();
  void check_step(const Step& step) const;

  const Schedule& schedule_;
  const Scenario& scenario_;
  const std::vector<Chunk>& chunks_;
  StreamPlan& plan_;
  RankWriter writer_;
  TensorCache tensors_;
  OutstandingStreams outstanding_;
  Launcher launcher_ = Launcher::alone;
  // Of the chunk being issued: what its next kernel has to wait for, and its newest compute kernel
  // (or the one its input came out of).
  std::vector<Pending> pending_;
  std::int32_t producer_ = -1;
};

}  // namespace steptwin
