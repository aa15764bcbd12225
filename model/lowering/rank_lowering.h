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

  // One transfer of this rank: a part of the kernel that its group becomes.
  struct Transfer {
    Step step;
    bool forward = false;
    Route route;
    P2pPart part;
  };

  void lower_compute(const Step& step, bool in_window);
  void lower_transfer(const Step& step);
  void lower_batch(const Step& batch);
  void lower_boundary(const Step& overlap);
  void lower_overlap(const Step& step);
  void issue_hook(const ChunkItem& item, bool forward);
  void issue_compute(const ChunkItem& item, const Step& step);
  void issue_collective(const ChunkItem& item, const Step& step);
  void order_after_compute(std::int32_t stream);
  Transfer transfer_of(const Step& step);
  void issue_group(const std::vector<Transfer>& group);
  void order_sends(const std::vector<Transfer>& group);
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
  std::vector<P2pPart> parts_;  // of the transfers being issued
};

}  // namespace steptwin
