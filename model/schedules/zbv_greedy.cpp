#include "model/schedules/zbv_greedy.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

namespace steptwin {
namespace {

constexpr std::int64_t kForwardQuarters = 2;
constexpr TimeNs kHere = -1;  // before anything else

struct Rank {
  std::vector<ZbvWork> order;
  std::array<std::vector<TimeNs>, kVPasses> ends;  // by pass and micro-batch
  std::vector<VPass> open;                         // backwards without their BWD_WEIGHT,
  std::size_t first_open = 0;                      // from this one on
  std::int64_t held_quarters = 0;
  TimeNs start = 0;   // of the first forward
  TimeNs clock = 0;   // end of the last step
  TimeNs bubble = 0;  // idle between start and clock

  std::int32_t count(VPass pass) const {
    return static_cast<std::int32_t>(ends[static_cast<std::size_t>(pass)].size());
  }
  std::int32_t forwards() const { return count(VPass::forward_down) + count(VPass::forward_up); }
  bool has_open_weight() const { return first_open < open.size(); }
};

class Greedy {
 public:
  Greedy(const ZbHeuristicCosts& costs, std::int32_t micro_batches, std::int64_t memory_quarters,
         const ZbvGreedyChoices& choices)
      : costs_(costs),
        micro_batches_(micro_batches),
        memory_quarters_(memory_quarters),
        choices_(choices),
        ranks_(costs.forward_ns.size() / 2) {
    for (Rank& rank : ranks_) rank.order.reserve(static_cast<std::size_t>(micro_batches) * 6);
    for (const TimeNs bubble : choices.granted) {
      largest_granted_ = std::max(largest_granted_, bubble);
    }
  }

  std::optional<ZbvGreedyOrder> run() {
    first_micro_batch();
    more_forwards();
    for (std::int32_t round = 0; round < 2 * micro_batches_; ++round) {
      run_backwards();
      for (std::int32_t rank = 0; rank < count(); ++rank) run_forward(rank);
    }
    if (is_stuck_) return std::nullopt;
    ZbvGreedyOrder result;
    for (std::int32_t rank = 0; rank < count(); ++rank) {
      while (at(rank).has_open_weight()) put_weight(rank);
      result.longest_span = std::max(result.longest_span, at(rank).clock - at(rank).start);
      result.bubbles.push_back(at(rank).bubble);
      result.ranks.push_back(std::move(at(rank).order));
    }
    return result;
  }

 private:
  std::int32_t count() const { return static_cast<std::int32_t>(ranks_.size()); }
  Rank& at(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& at(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  bool is_last(std::int32_t rank) const { return rank + 1 == count(); }

  void first_micro_batch() {
    for (std::int32_t rank = 0; rank < count(); ++rank) put(rank, VPass::forward_down);
    put(count() - 1, VPass::forward_up);
    for (std::int32_t rank = count() - 1; rank-- > 0;) {
      const TimeNs comes_back = arrival(rank, VPass::forward_up);
      const std::int64_t kept = kForwardQuarters * (2 + 2 * std::int64_t{rank});
      const std::int32_t needed = 1 + 2 * (count() - 1 - rank);
      const auto wants_more = [&] {
        const std::int32_t down = at(rank).count(VPass::forward_down);
        if (is_stuck_ || down == micro_batches_) return false;
        if (at(rank).held_quarters + kept > memory_quarters_) return false;
        return down < needed || at(rank).clock + duration(rank, VPass::forward_down) <= comes_back;
      };
      while (wants_more()) {
        for (std::int32_t before = 0; before <= rank; ++before) put(before, VPass::forward_down);
      }
      put(rank, VPass::forward_up);
    }
  }

  void more_forwards() {
    VPass pass = VPass::forward_down;
    for (std::int32_t rank = 1; rank < count(); ++rank) {
      const Rank& before = at(rank - 1);
      const auto is_behind = [&] {
        const std::int32_t up_before = before.count(VPass::forward_up);
        return at(rank).forwards() < before.forwards() ||
               (at(rank).count(VPass::forward_up) <= up_before && up_before < micro_batches_);
      };
      while (!is_stuck_ && is_behind()) {
        for (std::int32_t after = count(); after-- > rank;) {
          if (at(after).count(pass) < micro_batches_) put(after, pass);
        }
        pass = pass == VPass::forward_down ? VPass::forward_up : VPass::forward_down;
      }
    }
  }

  void run_backwards() {
    std::vector<bool> down(static_cast<std::size_t>(count()));  // chosen before any of them runs
    for (std::int32_t rank = 0; rank < count(); ++rank) {
      down[static_cast<std::size_t>(rank)] = goes_down(rank);
    }
    for (std::int32_t rank = count(); rank-- > 0;) {
      if (!down[static_cast<std::size_t>(rank)]) continue;
      prepare(rank, VPass::backward_down, true);
      put(rank, VPass::backward_down);
    }
    for (std::int32_t rank = 0; rank < count(); ++rank) {
      if (down[static_cast<std::size_t>(rank)]) continue;
      prepare(rank, VPass::backward_up, choices_.fill_before_backward_up);
      put(rank, VPass::backward_up);
    }
  }

  bool goes_down(std::int32_t rank) const {
    const std::int32_t up = at(rank).count(VPass::backward_up);
    const std::int32_t down = at(rank).count(VPass::backward_down);
    if (down >= up) return false;
    return up == micro_batches_ || has_input(rank, VPass::backward_down);
  }

  void run_forward(std::int32_t rank) {
    const std::int32_t down = at(rank).count(VPass::forward_down);
    const std::int32_t up = at(rank).count(VPass::forward_up);
    if (up == micro_batches_) return;
    VPass pass = VPass::forward_down;
    if (up < down && has_input(rank, VPass::forward_up)) {
      pass = VPass::forward_up;
    } else if (down == micro_batches_ || !has_input(rank, VPass::forward_down)) {
      return;
    }
    while (at(rank).has_open_weight() &&
           at(rank).held_quarters + kForwardQuarters > memory_quarters_) {
      put_weight(rank);
    }
    prepare(rank, pass, choices_.fill_before_forward);
    put(rank, pass);
  }

  // Whether the rank's next `pass` has its input computed, or needs none.
  bool has_input(std::int32_t rank, VPass pass) const {
    const auto input = input_of({rank, pass}, count());
    return !input || at(input->rank).count(input->pass) > at(rank).count(pass);
  }

  // When it arrives from another rank.
  TimeNs arrival(std::int32_t rank, VPass pass) const {
    const auto input = input_of({rank, pass}, count());
    if (!input || input->rank == rank || !has_input(rank, pass)) return kHere;
    const std::vector<TimeNs>& ends = at(input->rank).ends[static_cast<std::size_t>(input->pass)];
    return ends[static_cast<std::size_t>(at(rank).count(pass))] + costs_.p2p_ns;
  }

  // Runs the open BWD_WEIGHTs that fit before the rank's next `pass`, or had better precede it.
  void prepare(std::int32_t rank, VPass pass, bool fill_every_gap) {
    const TimeNs input = arrival(rank, pass);
    while (at(rank).has_open_weight() && at(rank).clock + weight_duration(rank) <= input) {
      put_weight(rank);
    }
    if (!at(rank).has_open_weight() || !fill_every_gap) return;
    if (input - at(rank).clock > affordable(rank)) put_weight(rank);
  }

  TimeNs affordable(std::int32_t rank) const {
    TimeNs largest = largest_bubble_;
    if (!choices_.granted.empty()) {
      const TimeNs own = choices_.granted[static_cast<std::size_t>(rank)];
      largest = std::max(largest, largest_granted_ - own);
    }
    return largest - at(rank).bubble;
  }

  std::size_t stage_index(std::int32_t rank, VPass pass) const {
    return static_cast<std::size_t>(stage_of(pass, rank, count()));
  }
  TimeNs duration(std::int32_t rank, VPass pass) const {
    return (is_forward(pass) ? costs_.forward_ns
                             : costs_.backward_input_ns)[stage_index(rank, pass)];
  }
  TimeNs weight_duration(std::int32_t rank) const {
    return costs_.backward_weight_ns[stage_index(rank, at(rank).open[at(rank).first_open])];
  }

  void put(std::int32_t number, VPass pass) {
    Rank& rank = at(number);
    const std::int64_t taken = is_forward(pass) ? kForwardQuarters : -1;
    if (is_stuck_ || rank.count(pass) == micro_batches_ || !has_input(number, pass) ||
        rank.held_quarters + taken > memory_quarters_) {
      is_stuck_ = true;
      return;
    }
    const TimeNs wait = arrival(number, pass) - rank.clock;
    if (rank.order.empty()) {
      rank.start = rank.clock = std::max<TimeNs>(0, wait);
    } else if (wait > 0) {
      rank.clock += wait;
      rank.bubble += wait;
      largest_bubble_ = std::max(largest_bubble_, rank.bubble);
    }
    rank.clock += duration(number, pass);
    rank.ends[static_cast<std::size_t>(pass)].push_back(rank.clock);
    rank.order.push_back({false, pass});
    rank.held_quarters += taken;
    if (!is_forward(pass)) rank.open.push_back(pass);
  }

  void put_weight(std::int32_t number) {
    Rank& rank = at(number);
    assert(rank.has_open_weight());
    rank.clock += weight_duration(number);
    rank.order.push_back({true, rank.open[rank.first_open++]});
    --rank.held_quarters;
  }

  const ZbHeuristicCosts& costs_;
  std::int32_t micro_batches_;
  std::int64_t memory_quarters_;
  const ZbvGreedyChoices& choices_;
  TimeNs largest_granted_ = 0;
  TimeNs largest_bubble_ = 0;
  bool is_stuck_ = false;  // a pass was due that cannot run; nothing is put any more
  std::vector<Rank> ranks_;
};

}  // namespace

TimeNs ZbvGreedyOrder::largest_bubble() const {
  return *std::max_element(bubbles.begin(), bubbles.end());
}

std::optional<ZbvGreedyOrder> zbv_greedy(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                                         std::int64_t memory_quarters,
                                         const ZbvGreedyChoices& choices) {
  assert(costs.forward_ns.size() >= 2 && costs.forward_ns.size() % 2 == 0 && micro_batches >= 1);
  return Greedy(costs, micro_batches, memory_quarters, choices).run();
}

}  // namespace steptwin
