#include "model/check_hooks.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/formats/steps_text.h"
#include "model/hooks.h"

namespace steptwin {
namespace {

std::int64_t moe_layers(const Scenario& scenario, std::int32_t stage) {
  const std::vector<LayerKind>& layers = scenario.layers.stages[static_cast<std::size_t>(stage)];
  return std::count(layers.begin(), layers.end(), LayerKind::moe);
}

// Where the forward waits for a backward of fewer layers. Hooks count the layers of the stage.
std::string lonely_hook(const Scenario& scenario, std::int32_t stage, std::int64_t met) {
  const std::vector<LayerKind>& layers = scenario.layers.stages[static_cast<std::size_t>(stage)];
  std::int64_t left = std::max<std::int64_t>(met, 1);
  std::int32_t layer = 0;
  while (layers[static_cast<std::size_t>(layer)] != LayerKind::moe || --left > 0) ++layer;
  return hook_label({met == 0 ? Hook::a : Hook::d, layer});
}

}  // namespace

std::vector<Finding> check_hooks(const Schedule& schedule, const Scenario& scenario) {
  const OverlapKeys& keys = scenario.overlap;
  std::vector<Finding> findings;
  if (!keys.hooks || keys.depart || keys.execution != OverlapExecution::threads) return findings;
  if (!scenario.layers.given) return findings;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const StepList& list = schedule.ranks[rank];
    for (std::size_t slot = 0; slot < list.size(); ++slot) {
      if (!list[slot] || !is_overlap(list[slot]->type)) continue;
      const std::vector<Step>& halves = list[slot]->sub_steps();
      const bool forward_first = halves[0].type == StepType::fwd;
      const Step& forward = halves[forward_first ? 0 : 1];
      const Step& backward = halves[forward_first ? 1 : 0];
      const std::int64_t launched = moe_layers(scenario, forward.stage);
      const std::int64_t met = moe_layers(scenario, backward.stage);
      if (launched <= met || findings.size() == kMostFindings) continue;
      findings.push_back(
          {static_cast<std::int32_t>(rank), static_cast<std::int64_t>(slot), step_text(*list[slot]),
           fmt::format("{} has {} moe layers and {} has {}; it waits at hook {} for good, since "
                       "overlap.depart is false",
                       step_label(forward), launched, step_label(backward), met,
                       lonely_hook(scenario, forward.stage, met))});
    }
  }
  return findings;
}

}  // namespace steptwin
