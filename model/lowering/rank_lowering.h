#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/lowering/chunk.h"
#include "model/lowering/memory_ledger.h"
#include "model/lowering/outstanding_streams.h"
#include "model/lowering/rank_writer.h"
#include "model/lowering/stream_plan.h"
#include "model/lowering/tensor_cache.h"
#include "model/noise.h"
#include "model/scenario.h"
#include "model/schedule.h"

namespace steptwin {

// A rank of the Program: one of the peers of a pipeline rank.
struct RankPlace {
  std::int32_t pipeline_rank = 0;
  std::int32_t peer = 0;
  std::int32_t peers = 1;

  std::int32_t rank() const { return rank_of(pipeline_rank); }
  // Of its counterpart, with which it exchanges activations and gradients.
  std::int32_t rank_of(std::int32_t other_pipeline_rank) const {
    return other_pipeline_rank * peers + peer;
  }
};

// Lowers the step list of one rank, step by step.
class RankLowering {
 public:
  RankLowering(const Schedule& schedule, const Scenario& scenario, const std::vector<Chunk>& chunks,
               StreamPlan& plan, Program& program, const RankPlace& place);

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

  // One transfer of this rank: a part for each tensor in the kernel that its group becomes.
  struct Transfer {
    Step step;
    bool forward = false;
    bool sends = false;
    std::int32_t peer_pipeline_rank = 0;
    std::int32_t producer = 0;  // the stage whose output travels, or the gradient of it
    Route route;
  };

  // A gathering of a stage's parameters, or a copy of activations, that compute has to wait for.
  struct Fetched {
    std::int32_t event = -1;  // -1: waited for
    std::int32_t kernel = -1;
  };
  using StageMicro = std::pair<std::int32_t, std::int32_t>;

  void lower_compute(const Step& step, bool in_window);
  void lower_transfer(const Step& step);
  void lower_batch(const Step& batch);
  void lower_boundary(const Step& overlap);
  void lower_fsdp(const Step& step);
  void lower_unshard(const Step& step);
  void lower_reshard(const Step& step);
  void lower_reduce_grad(const Step& step);
  void lower_swap(const Step& step);
  void lower_data(const Step& step);
  void lower_data_load(const Step& step);
  void lower_data_transfer(const Step& step);
  std::int32_t issue_copy(const Step& step, Part part, Bytes bytes);
  const Route& fsdp_route();
  std::int32_t issue_shard_exchange(const Step& step, KernelKind kind, Part part);
  void lower_overlap(const Step& step);
  void issue_hook(const ChunkItem& item, bool forward);
  void issue_compute(const ChunkItem& item, const Step& step);
  void issue_collective(const ChunkItem& item, const Step& step);
  TimeNs with_noise(const Kernel& kernel, TimeNs duration) const;
  void order_after_compute(std::int32_t stream);
  Transfer transfer_of(const Step& step);
  void append_parts(const Transfer& transfer);
  void issue_group(const std::vector<Transfer>& group);
  void order_sends(const std::vector<Transfer>& group);
  void note_buffers(const std::vector<Transfer>& group, std::int32_t kernel);
  void hold_parameters();
  void note_full_gradients(std::int32_t stage);
  void gathered_waited(std::int32_t stage);
  void gather_inputs(const Step& step, bool forward);
  void gather_parameters(std::int32_t stage);
  void note_memory(const Step& step);
  void note_launched(std::int32_t kernel, KernelKind kind);
  void add_received(std::int32_t& event);
  void add_result(std::int32_t& event);
  void compute_waits(std::int32_t event);
  void compute_waits_for_pending();
  void check_step(const Step& step) const;
  void check_stage(const Step& step) const;

  const Schedule& schedule_;
  const Scenario& scenario_;
  const std::vector<Chunk>& chunks_;
  StreamPlan& plan_;
  const RankPlace place_;
  RankWriter writer_;
  MemoryLedger memory_;
  TensorCache tensors_;
  OutstandingStreams outstanding_;
  Launcher launcher_ = Launcher::alone;
  // Of the chunk being issued: what its next kernel has to wait for, and its newest compute kernel
  // (or the one its input came out of).
  std::vector<Pending> pending_;
  std::int32_t producer_ = -1;
  std::int32_t first_kernel_ = -1;
  std::int32_t last_kernel_ = -1;
  // The newest compute kernels of the rank: of the forward thread or one alone, and of the backward
  // thread of the newest overlap.
  std::array<std::int32_t, 2> newest_compute_ = {-1, -1};
  std::vector<P2pPart> parts_;                            // of the transfers being issued
  std::map<std::int32_t, Fetched> gathered_;              // by stage, while it is resident
  std::map<std::int32_t, bool> has_full_gradients_;       // by stage
  std::map<std::int32_t, std::int32_t> newest_gradient_;  // by stage: the compute kernel
  std::int32_t resharded_ = -1;  // event: the newest RESHARD's room is free; -1: waited for
  bool sharded_ = false;         // the rank has FSDP steps
  std::array<std::map<StageMicro, Fetched>, 2> copies_;  // under way: offloads, loads
  std::map<StageMicro, std::int32_t> loaded_;            // events of data
  // As the plan has them, once they are asked for.
  std::optional<Route> expert_route_;
  std::optional<Route> fsdp_route_;
  std::optional<Route> data_route_;
  Noise noise_;
};

}  // namespace steptwin
