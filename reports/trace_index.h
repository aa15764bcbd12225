#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.h"
#include "reports/intervals.h"

namespace steptwin::reports {

// One (step, stage, micro-batch) on one rank: all kernels it was lowered to, by id. FWD(s2,m5) on
// rank 2 is a chunk of compute and collectives, its FWD_RECV(s2,m5) another one of one transfer.
struct Chunk {
  StepType step = StepType::fwd;
  std::int32_t stage = -1;
  std::int32_t micro = -1;
  std::int32_t rank = 0;
  std::size_t first = 0;  // into the index's list of kernels
  std::size_t count = 0;
};

// From when to when a kernel occupies its stream. A communication kernel does from its arrival on,
// also while it only waits for its peer.
inline Interval occupied(const TraceKernel& kernel) {
  const TimeNs begin =
      is_communication(kernel.kind) ? kernel.times.ready_ns : kernel.times.start_ns;
  return {begin, kernel.times.end_ns};
}

// The window of every figure, the same for all ranks: from where the step begins, if the trace says
// so, else from the first instant at which a kernel occupies a stream, to the last end. [0,0) for a
// trace without kernels.
Interval window_of(const Trace& trace);

// When the kernel does its work: from its start to its end, or, of several parts, while one of them
// transfers.
IntervalSet working(const Trace& trace, const TraceKernel& kernel);

// Ways to find kernels in a trace without searching it. Kernels are named by their position in
// trace.kernels. Costs a sort of the kernels; the trace must outlive it.
class TraceIndex {
 public:
  explicit TraceIndex(const Trace& trace);

  const Trace& trace() const { return *trace_; }
  const TraceKernel& kernel(std::size_t position) const { return trace_->kernels[position]; }
  std::int32_t ranks() const { return static_cast<std::int32_t>(trace_->ranks.size()); }

  Interval window() const { return window_; }  // window_of

  std::span<const std::size_t> kernels_of_rank(std::int32_t rank) const;  // by id

  // Ordered by (stage, micro, step, rank).
  const std::vector<Chunk>& chunks() const { return chunks_; }
  std::span<const std::size_t> kernels_of(const Chunk& chunk) const;  // by id
  const Chunk& chunk_of(std::size_t kernel) const { return chunks_[chunk_of_kernel_[kernel]]; }
  // Null if the trace has no such chunk.
  const Chunk* find(StepType step, std::int32_t stage, std::int32_t micro, std::int32_t rank) const;

  Interval span_of(const Chunk& chunk) const;  // first start to last end

 private:
  void order_by_rank();
  void order_by_chunk();

  const Trace* trace_;
  Interval window_;
  std::vector<std::size_t> rank_begin_;  // ranks + 1 entries into by_rank_
  std::vector<std::size_t> by_rank_;
  std::vector<std::size_t> by_chunk_;
  std::vector<std::size_t> chunk_of_kernel_;
  std::vector<Chunk> chunks_;
};

}  // namespace steptwin::reports
