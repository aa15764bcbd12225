#include "tests/sim/naive_simulator.h"

#include <algorithm>
#include <optional>

#include "tests/sim/naive_state.h"

namespace steptwin {
namespace {

using naive::Activity;
using naive::at;
using naive::State;

State state_at_zero(const Program& program);
void work_off_instant(State& state);
std::optional<TimeNs> next_instant(const State& state);
NaiveResult result_of(const State& state);

}  // namespace

NaiveResult naive_simulate(const Program& program) {
  State state = state_at_zero(program);
  while (true) {
    work_off_instant(state);
    const std::optional<TimeNs> next_ns = next_instant(state);
    if (!next_ns) return result_of(state);
    naive::let_time_pass(state, *next_ns);
  }
}

namespace {

State state_at_zero(const Program& program) {
  State state;
  state.program = &program;
  for (const RankProgram& rank : program.ranks) {
    naive::RankState rank_state;
    rank_state.streams.resize(rank.streams.size());
    rank_state.events.resize(at(rank.events));
    rank_state.threads.resize(rank.threads.size());
    const bool idle = rank.threads[0].commands.empty();
    rank_state.threads[0].activity = idle ? Activity::ended : Activity::free;
    state.ranks.push_back(rank_state);
  }
  state.kernels.resize(program.kernels.size());
  for (const Communicator& communicator : program.communicators) {
    naive::CollectiveCalls calls;
    calls.of_member.resize(communicator.ranks.size());
    state.collectives.push_back(calls);
  }
  return state;
}

void work_off_instant(State& state) {
  bool changed = true;
  while (changed) {
    changed = naive::end_kernels_and_pass_waits(state);
    for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
      for (std::size_t thread = 0; thread < state.ranks[rank].threads.size(); ++thread) {
        if (naive::take_turn(state, static_cast<std::int32_t>(rank),
                             static_cast<std::int32_t>(thread))) {
          changed = true;
        }
      }
    }
    if (naive::start_kernels(state)) changed = true;
  }
}

std::optional<TimeNs> next_instant(const State& state) {
  std::optional<TimeNs> next_ns;
  const auto consider = [&](std::optional<TimeNs> time_ns) {
    if (!time_ns || *time_ns <= state.now_ns) return;
    next_ns = std::min(*time_ns, next_ns.value_or(*time_ns));
  };
  for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
    for (std::size_t thread = 0; thread < state.ranks[rank].threads.size(); ++thread) {
      consider(naive::goes_on_ns(state, static_cast<std::int32_t>(rank),
                                 static_cast<std::int32_t>(thread)));
    }
  }
  consider(naive::next_of_works(state));
  return next_ns;
}

void list_part_spans(const naive::KernelState& kernel, NaiveResult& result) {
  if (kernel.part_ends_ns.size() < 2) return;
  for (std::size_t part = 0; part < kernel.part_ends_ns.size(); ++part) {
    result.part_spans.push_back({kernel.part_starts_ns[part], kernel.part_ends_ns[part]});
  }
}

void list_blocked(const State& state, std::int32_t rank, NaiveResult& result) {
  const naive::RankState& rank_state = state.ranks[at(rank)];
  for (std::size_t thread = 0; thread < rank_state.threads.size(); ++thread) {
    const naive::ThreadState& thread_state = rank_state.threads[thread];
    const bool finished =
        thread_state.activity == Activity::unborn || thread_state.activity == Activity::ended;
    if (finished) continue;
    result.blocked_threads.push_back(
        {rank, static_cast<std::int32_t>(thread), static_cast<std::int64_t>(thread_state.next)});
  }
  for (std::size_t stream = 0; stream < rank_state.streams.size(); ++stream) {
    const naive::StreamState& stream_state = rank_state.streams[stream];
    if (stream_state.passed == stream_state.entries.size()) continue;
    const naive::StreamEntry& head = stream_state.entries[stream_state.passed];
    result.blocked_streams.push_back(
        {rank, static_cast<std::int32_t>(stream), head.is_wait ? -1 : head.index});
  }
}

NaiveResult result_of(const State& state) {
  NaiveResult result;
  result.last_ns = state.now_ns;
  for (const naive::KernelState& kernel : state.kernels) {
    result.times.push_back(kernel.times);
    list_part_spans(kernel, result);
  }
  for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
    for (const naive::ThreadState& thread : state.ranks[rank].threads) {
      result.host.insert(result.host.end(), thread.records.begin(), thread.records.end());
    }
    list_blocked(state, static_cast<std::int32_t>(rank), result);
  }
  result.deadlocked = !result.blocked_threads.empty() || !result.blocked_streams.empty();
  return result;
}

}  // namespace
}  // namespace steptwin
