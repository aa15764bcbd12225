#include "model/idle_schedule_keys.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/error.h"

namespace steptwin {
namespace {

void refuse(const Scenario& scenario, const std::string& key, std::string_view because,
            std::string_view instead) {
  const auto written = scenario.key_at.find(key);
  if (written == scenario.key_at.end()) return;
  throw Error(written->second, fmt::format("{} has no effect because {}", key, because),
              fmt::format("the key removed{}{}", instead.empty() ? "" : ", or ", instead));
}

template <typename Wanted>
bool any_step(const Schedule& schedule, Wanted&& wanted) {
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Slot& slot : schedule.ranks[rank]) {
      if (slot && wanted(static_cast<std::int32_t>(rank), *slot)) return true;
    }
  }
  return false;
}

// What keeps two transfers of a batch on one stream of their rank, as StreamPlan sends them.
struct StreamOf {
  std::int32_t peer = 0;
  std::string name;

  friend bool operator==(const StreamOf&, const StreamOf&) = default;
  friend bool operator<(const StreamOf& left, const StreamOf& right) {
    return std::tie(left.peer, left.name) < std::tie(right.peer, right.name);
  }
};

StreamOf stream_of(const Scenario& scenario, const Schedule& schedule, const Step& step) {
  const StreamKeys& keys = scenario.streams;
  const bool forward = step.type == StepType::fwd_send || step.type == StepType::fwd_recv;
  const std::string& directed = forward ? keys.p2p_forward : keys.p2p_backward;
  StreamOf stream{schedule.stages.rank_of(other_stage(step)), directed};
  if (stream.name.empty()) stream.name = keys.p2p;
  if (!stream.name.empty()) return stream;
  switch (keys.preset) {
    case StreamPreset::per_direction:
      stream.name = forward ? "p2p_forward" : "p2p_backward";
      break;
    case StreamPreset::per_edge:
      stream.name = is_send(step.type) ? "out" : "in";
      break;
    case StreamPreset::unqueued:
      stream.name = step_label(step);
      break;
    case StreamPreset::two:
    case StreamPreset::per_group:
    case StreamPreset::multi_stream:
      break;
  }
  return stream;
}

// Whether any two transfers of the batch are issued as one.
bool stays_together(const Scenario& scenario, const Schedule& schedule, const Step& batch) {
  std::set<StreamOf> streams;
  for (const Step& step : batch.sub_steps()) {
    if (!streams.insert(stream_of(scenario, schedule, step)).second) return true;
  }
  return false;
}

bool takes_apart(StreamPreset preset) {
  return preset == StreamPreset::per_direction || preset == StreamPreset::per_edge ||
         preset == StreamPreset::unqueued;
}

void refuse_idle_overlap(const Scenario& scenario, const Schedule& schedule) {
  const auto overlaps = [](std::int32_t, const Step& step) { return is_overlap(step.type); };
  if (any_step(schedule, overlaps)) return;
  const OverlapKeys& keys = scenario.overlap;
  const bool is_sequential = keys.execution == OverlapExecution::sequential;
  for (const auto& [key, differs] : {std::pair("overlap.execution", is_sequential),
                                     {"overlap.hooks", !keys.hooks},
                                     {"overlap.depart", !keys.depart}}) {
    if (differs) {
      refuse(scenario, key, "nothing overlaps in this schedule",
             scenario.pipeline.schedule_file.empty() ? "more micro-batches" : "");
    }
  }
}

}  // namespace

void refuse_idle_pass(const Scenario& scenario, const char* key, const Schedule& before,
                      const Schedule& after, const char* because) {
  // A run folder has the schedule as it came out of the passes, beside the same keys.
  if (!scenario.pipeline.schedule_file.empty() || before.ranks != after.ranks) return;
  refuse(scenario, key, because, "");
}

void refuse_idle_schedule_keys(const Scenario& scenario, const Schedule& schedule) {
  refuse_idle_overlap(scenario, schedule);
  const P2pMode mode = scenario.pipeline.p2p;
  if (mode == P2pMode::batch && takes_apart(scenario.streams.preset)) {
    const auto matters = [&](std::int32_t, const Step& step) {
      return step.type == StepType::batch_send_recv && stays_together(scenario, schedule, step);
    };
    if (!any_step(schedule, matters)) {
      refuse(scenario, "pipeline.p2p",
             "streams.preset puts every transfer of a batch on a stream of its own",
             "streams.preset = \"two\" or \"multi_stream\"");
    }
  }
  if (mode == P2pMode::boundary) {
    const auto attached = [](std::int32_t, const Step& step) {
      return !step.boundary_p2p().empty();
    };
    if (!any_step(schedule, attached)) {
      refuse(scenario, "pipeline.p2p",
             "no overlap is followed by transfers that it could take over", "");
    }
  }
}

}  // namespace steptwin
