#include "model/passes/offload.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>
#include <vector>

namespace steptwin {
namespace {

// What goes in front of an entry and behind it.
struct Additions {
  std::vector<Step> launch_load;
  std::vector<Step> wait_load;
  std::vector<Step> launch_offload;
  std::vector<Step> wait_offload;
};

bool is_container(const Slot& slot) {
  return slot && (is_compute(slot->type) || is_overlap(slot->type));
}

bool is_transfer(const Slot& slot) {
  return slot && (is_p2p(slot->type) || slot->type == StepType::batch_send_recv);
}

// The send of what the step computes, or nothing.
Slot own_send(const Step& step) {
  if (step.type == StepType::fwd) return make_step(StepType::fwd_send, step.stage, step.micro);
  if (gives_gradient(step.type)) return make_step(StepType::bwd_send, step.stage, step.micro);
  return std::nullopt;
}

bool holds(const Step& transfer, const Step& send) {
  bool found = false;
  for_each_leaf(transfer, [&](const Step& leaf) { found = found || leaf == send; });
  return found;
}

// The entry behind which what the container computes is on its way.
std::size_t end_of_container(const StepList& list, std::size_t container) {
  const Slot send = own_send(*list[container]);
  std::size_t entry = container;
  while (entry + 1 < list.size() && is_transfer(list[entry + 1])) {
    ++entry;
    if (send && holds(*list[entry], *send)) return entry;
  }
  return entry;
}

// Where a (stage, micro-batch) is computed: container numbers, -1 nowhere.
struct Life {
  std::int64_t forward = -1;
  std::int64_t backward = -1;
};

using Lives = std::map<std::pair<std::int32_t, std::int32_t>, Life>;

Lives lives_of(const StepList& list, const std::vector<std::size_t>& containers) {
  Lives lives;
  for (std::size_t number = 0; number < containers.size(); ++number) {
    for_each_leaf(*list[containers[number]], [&](const Step& leaf) {
      Life& life = lives[{leaf.stage, leaf.micro}];
      if (leaf.type == StepType::fwd) life.forward = static_cast<std::int64_t>(number);
      if (gives_gradient(leaf.type)) life.backward = static_cast<std::int64_t>(number);
    });
  }
  return lives;
}

std::vector<std::size_t> containers_of(const StepList& list) {
  std::vector<std::size_t> containers;
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    if (is_container(list[entry])) containers.push_back(entry);
  }
  return containers;
}

// Each stage's FSDP_UNSHARD entries.
std::map<std::int32_t, std::vector<std::size_t>> unshards_of(const StepList& list) {
  std::map<std::int32_t, std::vector<std::size_t>> unshards;
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    if (list[entry] && list[entry]->type == StepType::fsdp_unshard) {
      unshards[list[entry]->stage].push_back(entry);
    }
  }
  return unshards;
}

// The last of the ascending entries between `from` and `to`, or `to` if there is none.
std::size_t last_between(const std::vector<std::size_t>& entries, std::size_t from,
                         std::size_t to) {
  const auto past = std::lower_bound(entries.begin(), entries.end(), to);
  if (past == entries.begin() || *(past - 1) < from) return to;
  return *(past - 1);
}

std::vector<Additions> additions_of(const StepList& list, std::int32_t min_gap) {
  const std::vector<std::size_t> containers = containers_of(list);
  const auto unshards = unshards_of(list);
  std::vector<Additions> additions(list.size());
  for (const auto& [key, life] : lives_of(list, containers)) {
    if (life.forward < 0 || life.backward - life.forward < min_gap) continue;
    const auto step = [&of = key](StepType type) { return make_step(type, of.first, of.second); };
    const std::size_t forward = containers[static_cast<std::size_t>(life.forward)];
    const std::size_t next = containers[static_cast<std::size_t>(life.forward + 1)];
    const std::size_t backward = containers[static_cast<std::size_t>(life.backward)];
    std::size_t load = containers[static_cast<std::size_t>(life.backward - 1)];
    if (!unshards.empty()) {
      const auto own = unshards.find(key.first);
      load = own == unshards.end() ? backward : last_between(own->second, forward, backward);
    }
    additions[forward].launch_offload.push_back(step(StepType::swap_launch_offload));
    additions[end_of_container(list, next)].wait_offload.push_back(
        step(StepType::swap_wait_offload));
    additions[load].launch_load.push_back(step(StepType::swap_launch_load));
    additions[backward].wait_load.push_back(step(StepType::swap_wait_load));
  }
  return additions;
}

StepList offloaded(const StepList& list, std::int32_t min_gap) {
  const std::vector<Additions> additions = additions_of(list, min_gap);
  StepList result;
  result.reserve(list.size() * 2);
  const auto append = [&result](const std::vector<Step>& steps) {
    result.insert(result.end(), steps.begin(), steps.end());
  };
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    append(additions[entry].launch_load);
    append(additions[entry].wait_load);
    result.push_back(list[entry]);
    append(additions[entry].launch_offload);
    append(additions[entry].wait_offload);
  }
  return result;
}

}  // namespace

Schedule add_offload_steps(const Schedule& schedule, std::int32_t min_gap) {
  // A load is launched before the compute that precedes the backward, an offload waited after the
  // one that follows the forward: with fewer than two between them they would cross.
  assert(min_gap >= 2);
  Schedule result{schedule.name, schedule.stages, schedule.micro_batches, {}};
  for (const StepList& list : schedule.ranks) result.ranks.push_back(offloaded(list, min_gap));
  return result;
}

}  // namespace steptwin
