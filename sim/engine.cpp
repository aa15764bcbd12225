#include "sim/engine.h"

#include <algorithm>
#include <cassert>
#include <optional>

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

  // The rank whose held action is the smallest, the lowest rank at a tie.
  std::int32_t smallest(const State& state) const {
    assert(!ranks_.empty());
    return *std::min_element(ranks_.begin(), ranks_.end(),
                             [&state](std::int32_t left, std::int32_t right) {
                               const Stamp left_at = held_action(state, left);
                               const Stamp right_at = held_action(state, right);
                               if (left_at == right_at) return left < right;
                               return left_at < right_at;
                             });
  }

  void drop(std::int32_t rank) { std::erase(ranks_, rank); }

 private:
  std::vector<std::int32_t> ranks_;
};

template <typename Ends>
void advance_streams(State& state, Ends& ends) {
  while (!state.active_streams.empty()) {
    const std::int32_t stream = state.active_streams.back();
    state.active_streams.pop_back();
    state.streams[static_cast<std::size_t>(stream)].queued = false;
    advance_stream(state, ends, stream);
  }
}

// Visits the ranks round by round.
template <typename Ends>
void advance_hosts(State& state, Ends& ends, HeldRanks& held) {
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
      advance_streams(state, ends);
    }
  }
}

// Goes on to where announced work begins or ends next, unless a held action comes before. False if
// there is none, or that one does.
bool advance_work(State& /*state*/, KnownEnds& /*ends*/, const HeldRanks& /*held*/) {
  return false;
}
bool advance_work(State& state, SharedEnds& ends, const HeldRanks& held) {
  const std::optional<TimeNs> next_ns = ends.rates.next_ns();
  if (!next_ns) return false;
  const Stamp at = {*next_ns, 0};
  if (!held.empty() && held_action(state, held.smallest(state)) < at) return false;
  for (const WorkOwner& owner : ends.rates.advance()) finish_work(state, ends, owner, at);
  return true;
}

bool advance_smallest(State& state, HeldRanks& held) {
  if (held.empty()) return false;
  const std::int32_t rank = held.smallest(state);
  held.drop(rank);
  advance_held(state, rank);
  activate_rank(state, rank);
  return true;
}

template <typename Ends>
void run(State& state, Ends&& ends) {
  HeldRanks held;
  advance_hosts(state, ends, held);
  while (advance_work(state, ends, held) || advance_smallest(state, held)) {
    advance_streams(state, ends);
    advance_hosts(state, ends, held);
  }
}

}  // namespace

State evaluate(const Program& program, bool host_records) {
  State state = make_state(program, host_records);
  if (program.contention.is_on()) {
    run(state, SharedEnds(program));
  } else {
    run(state, KnownEnds{});
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
