#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/schedule.h"
#include "model/trace.h"

namespace steptwin {

// Whether a run computed with what it had: "", or which kernel began before its input was there.
// Knows the model of a training step and nothing of events, streams or how a step was lowered.
//
//   within FWD, BWD, BWD_INPUT, BWD_WEIGHT   each kernel needs the one before it
//   FWD(s,m)          needs FWD_RECV(s,m), or FWD(s-1,m) if the rank holds that stage, and
//                     DATA_LOAD(s,m) if there is one
//   FWD_SEND(s,m)     needs FWD(s,m)
//   BWD(s,m)          needs FWD(s,m), and BWD_RECV(s,m) or the rank's own BWD(s+1,m)
//   BWD_SEND(s,m)     needs BWD(s,m); BWD_WEIGHT(s,m) needs BWD_INPUT(s,m)
//
// A backward is done, for others, with its BWD or BWD_INPUT.
class DataOrder {
 public:
  // A pipeline rank has so many `peers`, each with data of its own.
  DataOrder(const Trace& trace, const Program& program, const StageMap& stages, std::int32_t peers)
      : stages_(stages) {
    for (const TraceKernel& kernel : trace.kernels) {
      const Kernel& launched = program.kernels[static_cast<std::size_t>(kernel.kernel)];
      for (std::int32_t offset = 0; offset < launched.part_count; ++offset) {
        const P2pPart& part =
            program.p2p_parts[static_cast<std::size_t>(launched.first_part + offset)];
        auto& kernels = done_[{part.step, part.stage, part.micro, kernel.rank % peers}];
        if (kernels.empty() || kernels.back() != &kernel) kernels.push_back(&kernel);  // tensors
      }
      if (launched.part_count > 0) continue;
      const StepType type = kernel.step == StepType::bwd_input ? StepType::bwd : kernel.step;
      done_[{type, kernel.stage, kernel.micro, kernel.rank % peers}].push_back(&kernel);
    }
  }

  std::string first_fault() const {
    for (const auto& [key, kernels] : done_) {
      const auto& [type, stage, micro, peer] = key;
      for (std::size_t at = 1; at < kernels.size(); ++at) {
        if (began_ns(*kernels[at]) < kernels[at - 1]->times.end_ns) return fault(*kernels[at]);
      }
      const TraceKernel& first = *kernels.front();
      for (const Key& input : inputs_of(type, stage, micro, peer)) {
        const auto made = done_.find(input);
        if (made == done_.end()) return fault(first) + ", which nobody makes";
        if (began_ns(first) < made->second.back()->times.end_ns) return fault(first);
      }
    }
    return "";
  }

 private:
  using Key = std::tuple<StepType, std::int32_t, std::int32_t, std::int32_t>;  // the peer last

  // A send holds the data from when it is ready on; a transfer begins later.
  static TimeNs began_ns(const TraceKernel& kernel) { return kernel.times.ready_ns; }

  static std::string fault(const TraceKernel& kernel) {
    return "kernel " + std::to_string(kernel.kernel) + " begins before its input is there";
  }

  std::vector<Key> inputs_of(StepType type, std::int32_t stage, std::int32_t micro,
                             std::int32_t peer) const {
    std::vector<Key> inputs;
    const std::int32_t rank = stages_.rank_of(stage);
    const auto add_input = [&](StepType work, StepType receive, std::int32_t from) {
      if (from == StageMap::kNoStage) return;
      inputs.push_back(stages_.rank_of(from) == rank ? Key{work, from, micro, peer}
                                                     : Key{receive, stage, micro, peer});
    };
    if (type == StepType::fwd) {
      const Key load{StepType::data_load, stage, micro, peer};
      if (done_.count(load) > 0) inputs.push_back(load);
      add_input(StepType::fwd, StepType::fwd_recv, stages_.stage_before(stage));
    }
    if (type == StepType::bwd) {
      inputs.push_back({StepType::fwd, stage, micro, peer});
      add_input(StepType::bwd, StepType::bwd_recv, stages_.stage_after(stage));
    }
    if (type == StepType::fwd_send) inputs.push_back({StepType::fwd, stage, micro, peer});
    if (type == StepType::bwd_send || type == StepType::bwd_weight) {
      inputs.push_back({StepType::bwd, stage, micro, peer});
    }
    return inputs;
  }

  const StageMap& stages_;
  std::map<Key, std::vector<const TraceKernel*>> done_;
};

}  // namespace steptwin
