#include "model/passes/recv_placement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace steptwin {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

// Which entry of its rank's list computes the forward and the backward of each (stage, micro).
class Consumers {
 public:
  explicit Consumers(const Schedule& schedule)
      : stages_(schedule.stages.stages()),
        micro_batches_(schedule.micro_batches),
        forward_(static_cast<std::size_t>(stages_) * static_cast<std::size_t>(micro_batches_),
                 kNowhere),
        backward_(forward_) {
    for (const StepList& list : schedule.ranks) {
      for (std::size_t entry = 0; entry < list.size(); ++entry) {
        if (list[entry]) for_each_leaf(*list[entry], [&](const Step& leaf) { note(leaf, entry); });
      }
    }
  }

  std::size_t of(const Step& receive) const {
    if (!is_known(receive)) return kNowhere;
    return (receive.type == StepType::fwd_recv ? forward_ : backward_)[index(receive)];
  }

 private:
  void note(const Step& leaf, std::size_t entry) {
    if (!is_known(leaf)) return;
    if (leaf.type == StepType::fwd) forward_[index(leaf)] = entry;
    if (gives_gradient(leaf.type)) backward_[index(leaf)] = entry;
  }
  bool is_known(const Step& leaf) const {
    return leaf.stage >= 0 && leaf.stage < stages_ && leaf.micro >= 0 &&
           leaf.micro < micro_batches_;
  }
  std::size_t index(const Step& leaf) const {
    return static_cast<std::size_t>(leaf.stage) * static_cast<std::size_t>(micro_batches_) +
           static_cast<std::size_t>(leaf.micro);
  }

  std::int32_t stages_;
  std::int32_t micro_batches_;
  std::vector<std::size_t> forward_;
  std::vector<std::size_t> backward_;
};

// Per sender: before which entry every receive from it that is not placed yet must go.
class PairOrder {
 public:
  explicit PairOrder(const StageMap& stages)
      : stages_(stages), limits_(static_cast<std::size_t>(stages.ranks), kNowhere) {}

  // The receive goes before entry `wanted`, or before what its successor from the same sender
  // goes before, whichever is earlier.
  std::size_t place(const Step& receive, std::size_t wanted) {
    const std::int32_t from_stage = other_stage(receive);
    if (from_stage < 0 || from_stage >= stages_.stages()) return wanted;
    std::size_t& limit = limits_[static_cast<std::size_t>(stages_.rank_of(from_stage))];
    limit = std::min(limit, wanted);
    return limit;
  }

 private:
  const StageMap& stages_;
  std::vector<std::size_t> limits_;
};

// Before which entry each entry goes: its own number if it stays. Found from the back, so that the
// receives that follow from the same sender are placed first.
std::vector<std::size_t> new_places(const StepList& list, const StageMap& stages,
                                    const Consumers& consumers) {
  PairOrder order(stages);
  std::vector<std::size_t> places(list.size());
  for (std::size_t entry = list.size(); entry-- > 0;) {
    places[entry] = entry;
    if (!list[entry]) continue;
    const Step& step = *list[entry];
    if (is_recv(step.type)) {
      const std::size_t consumer = consumers.of(step);
      const bool ahead = consumer != kNowhere && consumer > entry;
      places[entry] = order.place(step, ahead ? consumer : entry);
    } else if (step.type == StepType::data_recv && entry + 1 < list.size() && list[entry + 1] &&
               list[entry + 1]->type == StepType::fwd_recv) {
      places[entry] = places[entry + 1];
    } else if (!is_compute(step.type)) {
      const auto hold = [&order, entry](const Step& inner) {
        if (is_recv(inner.type)) order.place(inner, entry);
      };
      for (const Step& inner : step.boundary_p2p()) hold(inner);
      for (const Step& inner : step.sub_steps()) hold(inner);
    }
  }
  return places;
}

StepList moved(const StepList& list, const std::vector<std::size_t>& places) {
  // Chains of the entries that go before an entry, in their old order.
  std::vector<std::size_t> first(list.size(), kNowhere);
  std::vector<std::size_t> next(list.size(), kNowhere);
  for (std::size_t entry = list.size(); entry-- > 0;) {
    if (places[entry] == entry) continue;
    next[entry] = first[places[entry]];
    first[places[entry]] = entry;
  }
  StepList result;
  result.reserve(list.size());
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    for (std::size_t guest = first[entry]; guest != kNowhere; guest = next[guest]) {
      result.push_back(list[guest]);
    }
    if (places[entry] == entry) result.push_back(list[entry]);
  }
  return result;
}

}  // namespace

Schedule place_recvs_late(const Schedule& schedule) {
  const Consumers consumers(schedule);
  Schedule late{schedule.name, schedule.stages, schedule.micro_batches, {}};
  late.ranks.reserve(schedule.ranks.size());
  for (const StepList& list : schedule.ranks) {
    late.ranks.push_back(moved(list, new_places(list, schedule.stages, consumers)));
  }
  return late;
}

}  // namespace steptwin
