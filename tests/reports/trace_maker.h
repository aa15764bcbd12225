#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/trace.h"

namespace steptwin::reports {

// Traces by hand, a kernel a line. Every rank has the streams compute, comm and copy and the
// threads main and backward; kernels are numbered as they are added.
class TraceMaker {
 public:
  explicit TraceMaker(std::int32_t ranks) {
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      trace_.ranks.push_back({{"compute", "comm", "copy"}, {"main", "backward"}});
    }
  }

  // A compute kernel of a chunk, enqueued at `enqueue`, ready when it starts.
  TraceMaker& compute(std::int32_t rank, StepType step, std::int32_t stage, std::int32_t micro,
                      TimeNs enqueue, TimeNs start, TimeNs end, Part part = Part::chunk) {
    TraceKernel& kernel = add(rank, 0, KernelKind::compute, part, step, stage, micro);
    kernel.times = {enqueue, start, start, end};
    return *this;
  }

  // times: enqueue, ready, start, end.
  TraceMaker& p2p(std::int32_t rank, StepType step, std::int32_t stage, std::int32_t micro,
                  std::vector<std::int32_t> peers, KernelTimes times) {
    TraceKernel& kernel = add(rank, 1, KernelKind::p2p, Part::p2p, step, stage, micro);
    kernel.peers = std::move(peers);
    kernel.bytes = 100;
    kernel.times = times;
    return *this;
  }

  // A kernel of several parts on the comm stream: it starts with the first of them and ends with
  // the last.
  TraceMaker& batch(std::int32_t rank, std::vector<std::int32_t> peers, TimeNs ready,
                    const std::vector<TracePart>& parts) {
    TraceKernel& kernel =
        add(rank, 1, KernelKind::p2p, Part::p2p, StepType::batch_send_recv, -1, -1);
    kernel.direction = Direction::none;
    kernel.peers = std::move(peers);
    kernel.bytes = 100;
    kernel.first_part = static_cast<std::int32_t>(trace_.parts.size());
    kernel.times = {0, ready, parts.front().start_ns, parts.front().end_ns};
    for (const TracePart& part : parts) {
      kernel.times.start_ns = std::min(kernel.times.start_ns, part.start_ns);
      kernel.times.end_ns = std::max(kernel.times.end_ns, part.end_ns);
      trace_.parts.push_back(part);
    }
    return *this;
  }

  TraceMaker& collective(std::int32_t rank, Part part, StepType step, std::int32_t stage,
                         std::int32_t micro, KernelTimes times) {
    TraceKernel& kernel = add(rank, 1, KernelKind::all_to_all, part, step, stage, micro);
    kernel.bytes = 10;
    kernel.times = times;
    return *this;
  }

  TraceMaker& copy(std::int32_t rank, TimeNs start, TimeNs end) {
    add(rank, 2, KernelKind::copy, Part::offload, StepType::swap_launch_offload, 0, 0).times = {
        start, start, start, end};
    return *this;
  }

  TraceMaker& rendezvous(std::int32_t rank, std::int32_t thread, Hook hook, Role role, TimeNs begin,
                         TimeNs end) {
    trace_.host.push_back({rank, thread, CommandType::rendezvous, role, hook, 0, -1, begin, end});
    return *this;
  }

  TraceMaker& host(std::int32_t rank, std::int32_t thread, CommandType command, TimeNs begin,
                   TimeNs end) {
    trace_.host.push_back({rank, thread, command, Role::comm, Hook::none, -1, -1, begin, end});
    return *this;
  }

  // Of the kernel added last.
  TraceMaker& launched_by(std::int32_t thread) {
    trace_.kernels.back().thread = thread;
    return *this;
  }

  const Trace& trace() const { return trace_; }
  Trace& trace() { return trace_; }

 private:
  TraceKernel& add(std::int32_t rank, std::int32_t stream, KernelKind kind, Part part,
                   StepType step, std::int32_t stage, std::int32_t micro) {
    TraceKernel kernel;
    kernel.kernel = static_cast<std::int64_t>(trace_.kernels.size());
    kernel.rank = rank;
    kernel.stream = stream;
    kernel.kind = kind;
    kernel.part = part;
    kernel.direction = direction_of(step);
    kernel.step = step;
    kernel.stage = stage;
    kernel.micro = micro;
    trace_.kernels.push_back(kernel);
    return trace_.kernels.back();
  }

  static Direction direction_of(StepType step) {
    if (step == StepType::fwd || step == StepType::fwd_recv || step == StepType::fwd_send) {
      return Direction::forward;
    }
    if (step == StepType::bwd_input) return Direction::backward_input;
    if (step == StepType::bwd_weight) return Direction::backward_weight;
    return Direction::backward;
  }

  Trace trace_;
};

// GPipe without communication on `ranks` ranks, forward 10, backward 20: stage s runs forward m
// from 10*(s+m), backward m from 10*(R+M-1) + 20*(R-1-s+m).
inline Trace gpipe_trace(std::int32_t ranks, std::int32_t micros, TimeNs unit_ns = 1) {
  TraceMaker maker(ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    for (std::int32_t micro = 0; micro < micros; ++micro) {
      const TimeNs start = unit_ns * 10 * (rank + micro);
      maker.compute(rank, StepType::fwd, rank, micro, 0, start, start + 10 * unit_ns);
    }
    for (std::int32_t micro = 0; micro < micros; ++micro) {
      const TimeNs start = unit_ns * (10 * (ranks + micros - 1) + 20 * (ranks - 1 - rank + micro));
      maker.compute(rank, StepType::bwd, rank, micro, 0, start, start + 20 * unit_ns);
    }
  }
  return maker.trace();
}

}  // namespace steptwin::reports
