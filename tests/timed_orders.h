#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/schedule.h"
#include "model/schedules/zb_heuristic.h"
#include "model/units.h"

namespace steptwin {

// What the papers on pipeline schedules call a schedule's time: each step starts as soon as the
// step before it on its rank has ended and its input is there. The input is the output of the
// neighbouring stage, one hop later if that stage is on another rank; a hop keeps nobody busy.
//
// An overlap is one step: it starts when the inputs of both its halves are there, takes as long as
// the longer half, and both outputs are there at its end.
struct RankTimes {
  TimeNs start = 0;  // of the first step
  TimeNs end = 0;    // of the last
  TimeNs busy = 0;
  std::int32_t live = 0;       // micro-batches (of a stage) between forward and weight gradient
  std::int32_t peak_live = 0;  // the most there ever were
  std::int32_t halves = 0;     // forward +2, backward-input -1, backward-weight -1
  std::int32_t peak_halves = 0;
  std::vector<std::pair<TimeNs, TimeNs>> steps;  // start and end of each

  TimeNs span() const { return end - start; }
  TimeNs idle() const { return span() - busy; }
};

struct TimedOrder {
  bool complete = false;  // false: some step waits for ever
  std::vector<RankTimes> ranks;

  TimeNs makespan() const {
    TimeNs latest = 0;
    for (const RankTimes& rank : ranks) latest = std::max(latest, rank.end);
    return latest;
  }
  TimeNs longest_span() const {
    TimeNs longest = 0;
    for (const RankTimes& rank : ranks) longest = std::max(longest, rank.span());
    return longest;
  }
};

class OrderTimer {
 public:
  OrderTimer(const Schedule& schedule, const ZbHeuristicCosts& costs)
      : schedule_(schedule),
        costs_(costs),
        slots_(static_cast<std::size_t>(schedule.stages.stages()) *
               static_cast<std::size_t>(schedule.micro_batches)),
        forward_ends_(slots_, kNotYet),
        backward_ends_(slots_, kNotYet),
        next_(schedule.ranks.size(), 0) {
    result_.ranks.resize(schedule.ranks.size());
  }

  TimedOrder run() {
    bool progress = true;
    result_.complete = false;
    while (progress && !result_.complete) {
      progress = false;
      result_.complete = true;
      for (std::size_t rank = 0; rank < next_.size(); ++rank) {
        while (next_[rank] < schedule_.ranks[rank].size() && advance(rank)) progress = true;
        if (next_[rank] < schedule_.ranks[rank].size()) result_.complete = false;
      }
    }
    return result_;
  }

 private:
  static constexpr TimeNs kNotYet = -1;

  std::size_t slot(std::int32_t stage, std::int32_t micro) const {
    return static_cast<std::size_t>(stage) * static_cast<std::size_t>(schedule_.micro_batches) +
           static_cast<std::size_t>(micro);
  }

  // Runs the rank's next step if its input is known to come.
  bool advance(std::size_t rank) {
    const Step& step = schedule_.ranks[rank][next_[rank]].value();
    RankTimes& times = result_.ranks[rank];
    TimeNs start = times.end;
    TimeNs length = 0;
    bool ready = true;
    for_each_leaf(step, [&](const Step& leaf) {
      const TimeNs arrival = input_arrival(leaf);
      ready = ready && arrival != kNotYet;
      start = std::max(start, arrival);
      length = std::max(length, duration(leaf));
    });
    if (!ready) return false;
    if (next_[rank] == 0) times.start = start;
    times.busy += length;
    times.end = start + length;
    times.steps.emplace_back(start, times.end);
    for_each_leaf(step, [&](const Step& leaf) {
      if (leaf.type == StepType::fwd) forward_ends_[slot(leaf.stage, leaf.micro)] = times.end;
      if (gives_gradient(leaf.type)) backward_ends_[slot(leaf.stage, leaf.micro)] = times.end;
      account(times, leaf.type);
    });
    ++next_[rank];
    return true;
  }

  TimeNs input_arrival(const Step& step) const {
    if (step.type == StepType::fwd) {
      const std::int32_t before = schedule_.stages.stage_before(step.stage);
      return before == StageMap::kNoStage ? 0 : sent(forward_ends_, step, before);
    }
    if (step.type == StepType::bwd_weight) return backward_ends_[slot(step.stage, step.micro)];
    const std::int32_t after = schedule_.stages.stage_after(step.stage);
    if (after == StageMap::kNoStage) return forward_ends_[slot(step.stage, step.micro)];
    return sent(backward_ends_, step, after);
  }

  TimeNs sent(const std::vector<TimeNs>& ends, const Step& step, std::int32_t from) const {
    const TimeNs end = ends[slot(from, step.micro)];
    const bool here = schedule_.stages.rank_of(from) == schedule_.stages.rank_of(step.stage);
    return end == kNotYet || here ? end : end + costs_.p2p_ns;
  }

  TimeNs duration(const Step& step) const {
    const std::size_t stage = static_cast<std::size_t>(step.stage);
    if (step.type == StepType::fwd) return costs_.forward_ns[stage];
    if (step.type == StepType::bwd_input) return costs_.backward_input_ns[stage];
    if (step.type == StepType::bwd_weight) return costs_.backward_weight_ns[stage];
    assert(step.type == StepType::bwd);
    return costs_.backward_input_ns[stage] + costs_.backward_weight_ns[stage];
  }

  static void account(RankTimes& times, StepType type) {
    if (type == StepType::fwd) {
      ++times.live;
      times.halves += 2;
    } else {
      times.live -= type == StepType::bwd_input ? 0 : 1;
      times.halves -= type == StepType::bwd ? 2 : 1;
    }
    times.peak_live = std::max(times.peak_live, times.live);
    times.peak_halves = std::max(times.peak_halves, times.halves);
  }

  const Schedule& schedule_;
  const ZbHeuristicCosts& costs_;
  std::size_t slots_;
  std::vector<TimeNs> forward_ends_;   // by stage and micro-batch
  std::vector<TimeNs> backward_ends_;  // the gradient the stage before waits for
  std::vector<std::size_t> next_;      // by rank: index of the step to run
  TimedOrder result_;
};

// Compute steps and overlaps only: no bubbles.
inline TimedOrder time_order(const Schedule& schedule, const ZbHeuristicCosts& costs) {
  return OrderTimer(schedule, costs).run();
}

// The halves of every overlap one after the other.
inline Schedule one_by_one(Schedule schedule) {
  for (StepList& list : schedule.ranks) {
    StepList steps;
    for (const Slot& slot : list) {
      for_each_leaf(slot.value(), [&steps](const Step& leaf) { steps.emplace_back(leaf); });
    }
    list = std::move(steps);
  }
  return schedule;
}

// The same costs for each of `stages` stages.
inline ZbHeuristicCosts uniform_costs(std::int32_t stages, TimeNs forward, TimeNs backward_input,
                                      TimeNs backward_weight, TimeNs p2p) {
  const std::size_t count = static_cast<std::size_t>(stages);
  return {std::vector<TimeNs>(count, forward), std::vector<TimeNs>(count, backward_input),
          std::vector<TimeNs>(count, backward_weight), p2p};
}

// "1F0 1I0 1W0 1F2|0B0": stage, F, B (full), I or W, micro-batch; a bar between the halves of an
// overlap.
inline std::string order_text(const StepList& steps) {
  static const std::map<StepType, char> letters = {{StepType::fwd, 'F'},
                                                   {StepType::bwd, 'B'},
                                                   {StepType::bwd_input, 'I'},
                                                   {StepType::bwd_weight, 'W'}};
  std::string text;
  for (const Slot& slot : steps) {
    if (!text.empty()) text += ' ';
    std::string parts;
    for_each_leaf(slot.value(), [&parts](const Step& leaf) {
      if (!parts.empty()) parts += '|';
      parts += std::to_string(leaf.stage) + letters.at(leaf.type) + std::to_string(leaf.micro);
    });
    text += parts;
  }
  return text;
}

}  // namespace steptwin
