#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/schedule.h"
#include "model/step.h"

namespace steptwin {

// What every schedule must fulfil, checked the slow and plain way. Each check returns the first
// fault it finds, in words, or "".

using StepKey = std::tuple<StepType, std::int32_t, std::int32_t>;
inline StepKey key_of(StepType type, const Step& step) {
  return {type, step.stage, step.micro};
}
inline std::string key_text(const StepKey& key) {
  return fmt::format("{}(s{},m{})", name_of(std::get<0>(key)), std::get<1>(key), std::get<2>(key));
}

// Each micro-batch has on each stage of its copy of the model one FWD and either one BWD or one
// BWD_INPUT and one BWD_WEIGHT, all on the rank that holds the stage, and none on other stages.
inline std::string compute_fault(const Schedule& schedule) {
  std::map<StepKey, int> counts;
  std::string fault;
  for (std::int32_t rank = 0; rank < schedule.stages.ranks; ++rank) {
    for (const Slot& slot : schedule.ranks.at(static_cast<std::size_t>(rank))) {
      if (!slot) continue;
      for_each_leaf(*slot, [&](const Step& leaf) {
        if (!is_compute(leaf.type)) return;
        ++counts[key_of(leaf.type, leaf)];
        if (schedule.stages.rank_of(leaf.stage) != rank) fault = "a step on the wrong rank";
      });
    }
  }
  for (std::int32_t stage = 0; stage < schedule.stages.stages(); ++stage) {
    for (std::int32_t micro = 0; micro < schedule.micro_batches; ++micro) {
      const auto take = [&](StepType type) { return counts[{type, stage, micro}]; };
      const int input = take(StepType::bwd_input);
      const bool split = input == 1 && take(StepType::bwd_weight) == 1 && take(StepType::bwd) == 0;
      const bool whole = input == 0 && take(StepType::bwd_weight) == 0 && take(StepType::bwd) == 1;
      if (!schedule.runs(stage, micro)) {
        if (take(StepType::fwd) + take(StepType::bwd) + input + take(StepType::bwd_weight) == 0) {
          continue;
        }
        return fmt::format("stage {} computes micro-batch {} of another copy", stage, micro);
      }
      if (take(StepType::fwd) != 1 || split == whole) {
        return fmt::format("stage {} micro-batch {} is not computed once", stage, micro);
      }
    }
  }
  return fault;
}

// What a compute step needs earlier in its own list: a receive, or the step itself if the producer
// is on the same rank. Backward inputs are keyed as BWD.
inline std::vector<StepKey> local_inputs(const Schedule& schedule, const Step& leaf) {
  const StageMap& stages = schedule.stages;
  const std::int32_t rank = stages.rank_of(leaf.stage);
  std::vector<StepKey> needed;
  if (leaf.type == StepType::bwd_weight) {
    needed.push_back(key_of(StepType::bwd, leaf));
    return needed;
  }
  if (leaf.type == StepType::fwd) {
    const std::int32_t before = stages.stage_before(leaf.stage);
    if (before == StageMap::kNoStage) return needed;
    const bool here = stages.rank_of(before) == rank;
    needed.push_back(here ? StepKey{StepType::fwd, before, leaf.micro}
                          : key_of(StepType::fwd_recv, leaf));
    return needed;
  }
  needed.push_back(key_of(StepType::fwd, leaf));
  const std::int32_t after = stages.stage_after(leaf.stage);
  if (after != StageMap::kNoStage) {
    const bool here = stages.rank_of(after) == rank;
    needed.push_back(here ? StepKey{StepType::bwd, after, leaf.micro}
                          : key_of(StepType::bwd_recv, leaf));
  }
  return needed;
}

// Every compute step, and both halves of an overlap, come after their inputs; every send comes
// after the step that makes what it sends.
inline std::string input_fault(const Schedule& schedule) {
  for (const StepList& list : schedule.ranks) {
    std::set<StepKey> seen;
    for (const Slot& slot : list) {
      if (!slot) continue;
      std::vector<StepKey> needed;
      std::vector<StepKey> made;
      for_each_leaf(*slot, [&](const Step& leaf) {
        const bool input = leaf.type == StepType::bwd_input;
        made.push_back(key_of(input ? StepType::bwd : leaf.type, leaf));
        if (leaf.type == StepType::fwd_send) needed.push_back(key_of(StepType::fwd, leaf));
        if (leaf.type == StepType::bwd_send) needed.push_back(key_of(StepType::bwd, leaf));
        if (!is_compute(leaf.type)) return;
        for (const StepKey& key : local_inputs(schedule, leaf)) needed.push_back(key);
      });
      for (const StepKey& key : needed) {
        if (!seen.contains(key)) return fmt::format("{} comes too late", key_text(key));
      }
      seen.insert(made.begin(), made.end());
    }
  }
  return "";
}

// One end of a transfer: the message is named by its sending step.
struct TransferEnd {
  bool is_send = false;
  std::int32_t peer = 0;
  StepKey message;
};

inline std::optional<TransferEnd> transfer_end(const Schedule& schedule, const Step& step) {
  const auto end = [&](bool is_send, StepType send, std::int32_t from, std::int32_t to) {
    return TransferEnd{is_send, schedule.stages.rank_of(is_send ? to : from),
                       StepKey{send, from, step.micro}};
  };
  const std::int32_t stage = step.stage;
  if (step.type == StepType::fwd_send) return end(true, step.type, stage, stage + 1);
  if (step.type == StepType::data_send) return end(true, step.type, stage, stage + 1);
  if (step.type == StepType::bwd_send) return end(true, step.type, stage, stage - 1);
  if (step.type == StepType::fwd_recv) return end(false, StepType::fwd_send, stage - 1, stage);
  if (step.type == StepType::data_recv) return end(false, StepType::data_send, stage - 1, stage);
  if (step.type == StepType::bwd_recv) return end(false, StepType::bwd_send, stage + 1, stage);
  return std::nullopt;
}

// The transfers of each rank, in the order of its list.
inline std::vector<std::vector<TransferEnd>> transfers_of(const Schedule& schedule) {
  std::vector<std::vector<TransferEnd>> ends(schedule.ranks.size());
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Slot& slot : schedule.ranks[rank]) {
      if (!slot) continue;
      for_each_leaf(*slot, [&](const Step& leaf) {
        if (const auto end = transfer_end(schedule, leaf)) ends[rank].push_back(*end);
      });
    }
  }
  return ends;
}

// The k-th send and the k-th receive of every ordered pair of ranks name the same message.
inline std::string pairing_fault(const Schedule& schedule) {
  using Messages = std::vector<StepKey>;
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<Messages, Messages>> pairs;
  const auto ends = transfers_of(schedule);
  for (std::int32_t rank = 0; rank < schedule.stages.ranks; ++rank) {
    for (const TransferEnd& end : ends[static_cast<std::size_t>(rank)]) {
      if (end.is_send) {
        pairs[{rank, end.peer}].first.push_back(end.message);
      } else {
        pairs[{end.peer, rank}].second.push_back(end.message);
      }
    }
  }
  for (const auto& [pair, messages] : pairs) {
    const auto& [sent, received] = messages;
    for (std::size_t place = 0; place < std::max(sent.size(), received.size()); ++place) {
      if (place >= sent.size() || place >= received.size() || sent[place] != received[place]) {
        return fmt::format("transfer {} from rank {} to rank {} has unlike ends", place, pair.first,
                           pair.second);
      }
    }
  }
  return "";
}

// Every rank walks its list; a transfer happens when both ends have come to it. Whether all lists
// end, with one in-order queue a rank and nothing buffered.
inline std::string rendezvous_fault(const Schedule& schedule) {
  const auto ends = transfers_of(schedule);
  std::vector<std::size_t> done(ends.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < ends.size(); ++rank) {
      while (done[rank] < ends[rank].size()) {
        const TransferEnd& mine = ends[rank][done[rank]];
        const auto peer = static_cast<std::size_t>(mine.peer);
        if (done[peer] == ends[peer].size()) break;
        const TransferEnd& other = ends[peer][done[peer]];
        if (other.message != mine.message || other.is_send == mine.is_send) break;
        ++done[rank];
        ++done[peer];
        moved = true;
      }
    }
  }
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    if (done[rank] == ends[rank].size()) continue;
    const TransferEnd& end = ends[rank][done[rank]];
    return fmt::format("rank {} waits for ever to {} {}", rank, end.is_send ? "send" : "receive",
                       key_text(end.message));
  }
  return "";
}

// All of the above.
inline std::string schedule_fault(const Schedule& schedule) {
  for (const auto& check : {compute_fault, input_fault, pairing_fault, rendezvous_fault}) {
    if (std::string fault = check(schedule); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace steptwin
