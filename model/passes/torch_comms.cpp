#include "model/passes/torch_comms.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/error.h"
#include "model/passes/compute_only.h"
#include "model/passes/fsdp.h"

namespace steptwin {
namespace {

// Which forwards and which gradients of (stage, micro-batch) are computed, on whichever rank.
class Computed {
 public:
  explicit Computed(const StageMap& stages) : stages_(stages) {}

  // The step that a compute step waits for, if it is still to come.
  std::optional<Step> missing_input(const Step& leaf) const {
    const bool forward = leaf.type == StepType::fwd;
    if (!forward && !gives_gradient(leaf.type)) return std::nullopt;
    const std::int32_t source =
        forward ? stages_.stage_before(leaf.stage) : stages_.stage_after(leaf.stage);
    if (source == StageMap::kNoStage) return std::nullopt;
    return forward ? unless_in(forwards_, make_step(StepType::fwd, source, leaf.micro))
                   : unless_in(gradients_, make_step(StepType::bwd, source, leaf.micro));
  }

  void mark(const Step& leaf) {
    if (leaf.type == StepType::fwd) forwards_.insert(key_of(leaf));
    if (gives_gradient(leaf.type)) gradients_.insert(key_of(leaf));
  }

 private:
  using Keys = std::unordered_set<std::uint64_t>;  // asked for members, never walked through

  static std::uint64_t key_of(const Step& leaf) {
    return (static_cast<std::uint64_t>(leaf.stage) << 32U) | static_cast<std::uint64_t>(leaf.micro);
  }
  static std::optional<Step> unless_in(const Keys& keys, Step step) {
    if (keys.contains(key_of(step))) return std::nullopt;
    return step;
  }

  const StageMap& stages_;
  Keys forwards_;
  Keys gradients_;
};

struct Blocked {
  Step step;
  Step input;
};

std::optional<Blocked> blocked_leaf(const Computed& computed, const Step& step) {
  std::optional<Blocked> blocked;
  for_each_leaf(step, [&](const Step& leaf) {
    if (blocked) return;
    if (const auto input = computed.missing_input(leaf)) blocked = Blocked{leaf, *input};
  });
  return blocked;
}

// Appends the send and the receive of what the step computes, if another rank needs it.
void append_transfer(const StageMap& stages, const Step& leaf, std::vector<StepList>& lists) {
  const bool forward = leaf.type == StepType::fwd;
  if (!forward && !gives_gradient(leaf.type)) return;
  const std::int32_t consumer =
      forward ? stages.stage_after(leaf.stage) : stages.stage_before(leaf.stage);
  if (consumer == StageMap::kNoStage) return;
  const std::int32_t from = stages.rank_of(leaf.stage);
  const std::int32_t to = stages.rank_of(consumer);
  if (from == to) return;
  lists[static_cast<std::size_t>(from)].emplace_back(
      make_step(forward ? StepType::fwd_send : StepType::bwd_send, leaf.stage, leaf.micro));
  lists[static_cast<std::size_t>(to)].emplace_back(
      make_step(forward ? StepType::fwd_recv : StepType::bwd_recv, consumer, leaf.micro));
}

struct Walk {
  const StepList* list = nullptr;
  std::size_t entry = 0;

  bool finished() const { return entry == list->size(); }
  const Step& step() const { return *(*list)[entry]; }
};

[[noreturn]] void refuse(const std::vector<Walk>& walks, const Computed& computed) {
  std::string blocks;
  for (std::size_t rank = 0; rank < walks.size(); ++rank) {
    if (walks[rank].finished()) continue;
    const auto blocked = blocked_leaf(computed, walks[rank].step());
    blocks += fmt::format("{} rank {} stops at {}, which needs {}", blocks.empty() ? ":" : ";",
                          rank, step_label(blocked->step), step_label(blocked->input));
  }
  throw Error("the compute order cannot progress" + blocks,
              "an order in which every step's inputs are computed before it");
}

std::vector<StepList> with_transfers(const Schedule& schedule) {
  std::vector<StepList> lists(schedule.ranks.size());
  std::vector<Walk> walks;
  for (const StepList& list : schedule.ranks) walks.push_back({&list});
  Computed computed(schedule.stages);
  const auto finished = [](const Walk& walk) { return walk.finished(); };
  while (!std::all_of(walks.begin(), walks.end(), finished)) {
    bool progress = false;
    for (std::size_t rank = 0; rank < walks.size(); ++rank) {
      Walk& walk = walks[rank];
      if (walk.finished() || blocked_leaf(computed, walk.step())) continue;
      lists[rank].emplace_back(walk.step());
      for_each_leaf(walk.step(), [&](const Step& leaf) {
        computed.mark(leaf);
        append_transfer(schedule.stages, leaf, lists);
      });
      ++walk.entry;
      progress = true;
    }
    if (!progress) refuse(walks, computed);
  }
  return lists;
}

Schedule without_bubbles(const Schedule& schedule) {
  Schedule result = schedule;
  for (StepList& list : result.ranks) {
    std::erase_if(list, [](const Slot& slot) { return !slot.has_value(); });
  }
  return result;
}

}  // namespace

Schedule add_torch_comms(const Schedule& schedule, bool fsdp) {
  require_compute_only(schedule);
  Schedule result = without_bubbles(schedule);
  if (fsdp) result = add_fsdp_steps(result);
  result.ranks = with_transfers(result);
  return result;
}

}  // namespace steptwin
