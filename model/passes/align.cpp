#include "model/passes/align.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <string>

#include "model/error.h"
#include "model/passes/compute_only.h"

namespace steptwin {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// In which tick the forward and the backward (BWD or BWD_INPUT) of each (stage, micro) were done.
class DoneTicks {
 public:
  DoneTicks(const StageMap& stages, std::int32_t micro_batches)
      : stages_(stages),
        micro_batches_(micro_batches),
        forward_(
            static_cast<std::size_t>(stages.stages()) * static_cast<std::size_t>(micro_batches),
            kNever),
        backward_(forward_) {}

  void mark(const Step& leaf, std::int64_t tick) {
    if (leaf.type == StepType::fwd) forward_[index(leaf.stage, leaf.micro)] = tick;
    if (gives_gradient(leaf.type)) backward_[index(leaf.stage, leaf.micro)] = tick;
  }

  // A step that `leaf` needs and that was not done before `tick`, if there is one.
  std::optional<Step> missing_input(const Step& leaf, std::int64_t tick) const {
    const std::int32_t stage = leaf.stage;
    if (leaf.type == StepType::fwd) {
      const std::int32_t before = stages_.stage_before(stage);
      if (before == StageMap::kNoStage || forward_[index(before, leaf.micro)] < tick) {
        return std::nullopt;
      }
      return make_step(StepType::fwd, before, leaf.micro);
    }
    if (leaf.type == StepType::bwd_weight) {
      if (backward_[index(stage, leaf.micro)] < tick) return std::nullopt;
      return make_step(StepType::bwd_input, stage, leaf.micro);
    }
    if (forward_[index(stage, leaf.micro)] >= tick) {
      return make_step(StepType::fwd, stage, leaf.micro);
    }
    const std::int32_t after = stages_.stage_after(stage);
    if (after == StageMap::kNoStage || backward_[index(after, leaf.micro)] < tick) {
      return std::nullopt;
    }
    return make_step(leaf.type, after, leaf.micro);
  }

 private:
  std::size_t index(std::int32_t stage, std::int32_t micro) const {
    return static_cast<std::size_t>(stage) * static_cast<std::size_t>(micro_batches_) +
           static_cast<std::size_t>(micro);
  }

  const StageMap& stages_;
  std::int32_t micro_batches_;
  std::vector<std::int64_t> forward_;
  std::vector<std::int64_t> backward_;
};

struct Blocked {
  Step step;
  Step input;
};

// The first of the step's leaves that cannot be computed in `tick`, and the input it lacks.
std::optional<Blocked> blocked_leaf(const DoneTicks& done, const Step& step, std::int64_t tick) {
  std::optional<Blocked> blocked;
  for_each_leaf(step, [&](const Step& leaf) {
    if (blocked) return;
    if (auto input = done.missing_input(leaf, tick)) blocked = Blocked{leaf, *std::move(input)};
  });
  return blocked;
}

// One rank's walk through its list.
struct Walk {
  const StepList* list = nullptr;
  std::size_t entry = 0;
  const Step* second_half = nullptr;  // of an overlap begun in the tick before

  void skip_bubbles() {
    while (entry < list->size() && !(*list)[entry]) ++entry;
  }
  bool finished() const { return entry == list->size() && second_half == nullptr; }
};

// One tick of one rank; whether it computed anything.
bool advance(Walk& walk, DoneTicks& done, std::int64_t tick, StepList& columns) {
  if (walk.second_half != nullptr) {
    done.mark(*walk.second_half, tick);
    walk.second_half = nullptr;
    return true;
  }
  const Step& step = *(*walk.list)[walk.entry];
  if (blocked_leaf(done, step, tick)) {
    columns.emplace_back();
    return false;
  }
  columns.emplace_back(step);
  if (is_overlap(step.type)) {
    done.mark(step.sub_steps()[0], tick);
    walk.second_half = &step.sub_steps()[1];
  } else {
    done.mark(step, tick);
  }
  ++walk.entry;
  walk.skip_bubbles();
  return true;
}

bool is_computed_somewhere(const Schedule& schedule, const Step& wanted) {
  const bool backward = wanted.type != StepType::fwd;
  bool found = false;
  for (const Slot& slot :
       schedule.ranks[static_cast<std::size_t>(schedule.stages.rank_of(wanted.stage))]) {
    if (!slot) continue;
    for_each_leaf(*slot, [&](const Step& leaf) {
      const bool same_kind = backward ? gives_gradient(leaf.type) : leaf.type == StepType::fwd;
      found = found || (same_kind && leaf.stage == wanted.stage && leaf.micro == wanted.micro);
    });
  }
  return found;
}

[[noreturn]] void refuse(const Schedule& schedule, const std::vector<Walk>& walks,
                         const DoneTicks& done, std::int64_t tick) {
  std::string blocks;
  for (std::size_t rank = 0; rank < walks.size(); ++rank) {
    if (walks[rank].finished()) continue;
    const auto blocked = blocked_leaf(done, *(*walks[rank].list)[walks[rank].entry], tick);
    assert(blocked);
    blocks += fmt::format(
        "{} rank {} stops at {}, which needs {}{}", blocks.empty() ? ":" : ";", rank,
        step_label(blocked->step), step_label(blocked->input),
        is_computed_somewhere(schedule, blocked->input) ? "" : " and no rank computes that");
  }
  throw Error("the compute order cannot progress" + blocks,
              "an order in which every step's inputs are computed before it");
}

}  // namespace

Schedule align_columns(const Schedule& schedule) {
  require_compute_only(schedule);
  const std::size_t rank_count = schedule.ranks.size();
  Schedule columns{schedule.name, schedule.stages, schedule.micro_batches, {}};
  columns.ranks.resize(rank_count);
  std::vector<Walk> walks(rank_count);
  for (std::size_t rank = 0; rank < rank_count; ++rank) {
    walks[rank].list = &schedule.ranks[rank];
    walks[rank].skip_bubbles();
    columns.ranks[rank].reserve(schedule.ranks[rank].size() + 2 * rank_count);
  }
  DoneTicks done(schedule.stages, schedule.micro_batches);
  const auto finished = [](const Walk& walk) { return walk.finished(); };
  for (std::int64_t tick = 0; !std::all_of(walks.begin(), walks.end(), finished); ++tick) {
    bool progress = false;
    for (std::size_t rank = 0; rank < rank_count; ++rank) {
      if (walks[rank].finished()) continue;
      progress = advance(walks[rank], done, tick, columns.ranks[rank]) || progress;
    }
    if (!progress) refuse(schedule, walks, done, tick);
  }
  return columns;
}

}  // namespace steptwin
