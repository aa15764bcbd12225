#include "sim/engine.h"

#include <algorithm>
#include <cassert>

#include "sim/host.h"
#include "sim/streams.h"

namespace steptwin::sim {
namespace {

// Held ranks are few; the smallest action is found by looking at all of them.
class HeldRanks {
 public:
  void add(std::int32_t rank) {
    if (std::find(ranks_.begin(), ranks_.end(), rank) == ranks_.end()) ranks_.push_back(rank);
  }
  bool empty() const { return ranks_.empty(); }

  // Takes out the rank whose held action is the smallest, the lowest rank at a tie.
  std::int32_t take_smallest(const State& state) {
    assert(!ranks_.empty());
    const auto smallest = std::min_element(ranks_.begin(), ranks_.end(),
                                           [&state](std::int32_t left, std::int32_t right) {
                                             const Stamp left_at = held_action(state, left);
                                             const Stamp right_at = held_action(state, right);
                                             if (left_at == right_at) return left < right;
                                             return left_at < right_at;
                                           });
    const std::int32_t rank = *smallest;
    ranks_.erase(smallest);
    return rank;
  }

  void drop(std::int32_t rank) { std::erase(ranks_, rank); }

 private:
  std::vector<std::int32_t> ranks_;
};

void advance_streams(State& state) {
  while (!state.active_streams.empty()) {
    const std::int32_t stream = state.active_streams.back();
    state.active_streams.pop_back();
    state.streams[static_cast<std::size_t>(stream)].queued = false;
    advance_stream(state, stream);
  }
}

// Visits the ranks round by round.
void advance_hosts(State& state, HeldRanks& held) {
  std::vector<std::int32_t> round;
  while (!state.active_ranks.empty()) {
    round.clear();
    round.swap(state.active_ranks);
    for (const std::int32_t rank : round) {
      state.ranks[static_cast<std::size_t>(rank)].queued = false;
      const HostProgress progress = advance_host(state, rank);
      if (progress == HostProgress::held) {
        held.add(rank);
      } else {
        held.drop(rank);
      }
      if (progress == HostProgress::more) activate_rank(state, rank);
      advance_streams(state);
    }
  }
}

}  // namespace

State evaluate(const Program& program, bool host_records) {
  State state = make_state(program, host_records);
  HeldRanks held;
  advance_hosts(state, held);
  while (!held.empty()) {
    const std::int32_t rank = held.take_smallest(state);
    advance_held(state, rank);
    activate_rank(state, rank);
    advance_streams(state);
    advance_hosts(state, held);
  }
  return state;
}

bool finished(const State& state) {
  const bool threads_ended =
      std::all_of(state.threads.begin(), state.threads.end(),
                  [](const ThreadState& thread) { return thread.phase == ThreadPhase::ended; });
  return threads_ended &&
         std::all_of(state.streams.begin(), state.streams.end(),
                     [](const StreamState& stream) { return stream.passed == stream.appended; });
}

}  // namespace steptwin::sim
