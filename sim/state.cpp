#include "sim/state.h"

#include <cassert>

namespace steptwin::sim {
namespace {

// How many entries every stream will get, and where its queue begins.
void lay_out_entries(State& state) {
  const Program& program = *state.program;
  std::vector<std::int64_t> counts(state.streams.size(), 0);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const auto first = static_cast<std::size_t>(state.ranks[rank].first_stream);
    for (const HostThread& thread : program.ranks[rank].threads) {
      for (const Command& command : thread.commands) {
        const bool appends =
            command.type == CommandType::launch || command.type == CommandType::wait;
        if (!appends) continue;
        ++counts[first + static_cast<std::size_t>(command.stream)];
      }
    }
  }
  std::int64_t total = 0;
  for (std::size_t stream = 0; stream < state.streams.size(); ++stream) {
    state.streams[stream].first_entry = total;
    total += counts[stream];
  }
  state.entries.resize(static_cast<std::size_t>(total));
}

void lay_out_threads(State& state, std::int32_t rank, const RankProgram& program,
                     std::int64_t& first_record) {
  for (std::size_t number = 0; number < program.threads.size(); ++number) {
    const std::vector<Command>& commands = program.threads[number].commands;
    ThreadState thread;
    thread.commands = commands.data();
    thread.count = static_cast<std::int32_t>(commands.size());
    thread.rank = rank;
    thread.number = static_cast<std::int32_t>(number);
    thread.first_record = first_record;
    first_record += thread.count;
    if (number == 0) {
      thread.phase = thread.count > 0 ? ThreadPhase::beginning : ThreadPhase::ended;
      thread.at = first_turn(0, 0);
    }
    state.threads.push_back(thread);
  }
}

}  // namespace

State make_state(const Program& program, bool host_records) {
  State state;
  state.program = &program;
  std::int64_t commands = 0;
  std::int32_t events = 0;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const RankProgram& rank_program = program.ranks[rank];
    RankState rank_state;
    rank_state.first_stream = static_cast<std::int32_t>(state.streams.size());
    rank_state.first_thread = static_cast<std::int32_t>(state.threads.size());
    rank_state.first_event = events;
    events += rank_program.events;
    state.ranks.push_back(rank_state);
    state.streams.resize(state.streams.size() + rank_program.streams.size());
    for (auto stream = static_cast<std::size_t>(rank_state.first_stream);
         stream < state.streams.size(); ++stream) {
      state.streams[stream].rank = static_cast<std::int32_t>(rank);
    }
    lay_out_threads(state, static_cast<std::int32_t>(rank), rank_program, commands);
  }
  lay_out_entries(state);
  state.events.assign(static_cast<std::size_t>(events), EventState{});
  state.communicators.resize(program.communicators.size());
  state.channels = make_channels(program.p2p_parts.size());
  if (program.eager_bytes > 0) state.eager_sends.resize(program.p2p_parts.size());
  state.watchers.resize(state.streams.size() + state.threads.size());
  state.times.resize(program.kernels.size());
  state.part_times.resize(program.p2p_parts.size());
  if (host_records) state.records.resize(static_cast<std::size_t>(commands));
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    activate_rank(state, static_cast<std::int32_t>(rank));
  }
  return state;
}

void watch_event(State& state, std::int32_t watcher, std::int32_t event_index) {
  EventState& event = state.events[static_cast<std::size_t>(event_index)];
  Watcher& link = state.watchers[static_cast<std::size_t>(watcher)];
  if (event.stream < 0) {
    link.next = event.watchers;
    event.watchers = watcher;
    return;
  }
  StreamState& stream = state.streams[static_cast<std::size_t>(event.stream)];
  assert(stream.passed < event.position);
  if (stream.watchers == kNobody || event.position < stream.watched_position) {
    stream.watched_position = event.position;
  }
  link = {stream.watchers, event.position};
  stream.watchers = watcher;
}

namespace {

void wake(State& state, std::int32_t watcher) {
  const auto streams = static_cast<std::int32_t>(state.streams.size());
  if (watcher < streams) {
    activate_stream(state, watcher);
  } else {
    activate_rank(state, state.threads[static_cast<std::size_t>(watcher - streams)].rank);
  }
}

}  // namespace

void wake_watchers(State& state, std::int32_t stream_index) {
  StreamState& stream = state.streams[static_cast<std::size_t>(stream_index)];
  std::int32_t watcher = stream.watchers;
  stream.watchers = kNobody;
  while (watcher != kNobody) {
    Watcher& link = state.watchers[static_cast<std::size_t>(watcher)];
    const std::int32_t next = link.next;
    const std::int32_t awaited = link.awaited_position;
    if (awaited <= stream.passed) {
      link.next = kNobody;
      wake(state, watcher);
    } else {
      if (stream.watchers == kNobody || awaited < stream.watched_position) {
        stream.watched_position = awaited;
      }
      link.next = stream.watchers;
      stream.watchers = watcher;
    }
    watcher = next;
  }
}

void event_recorded(State& state, std::int32_t event_index) {
  EventState& event = state.events[static_cast<std::size_t>(event_index)];
  std::int32_t watcher = event.watchers;
  event.watchers = kNobody;
  while (watcher != kNobody) {
    std::int32_t& link = state.watchers[static_cast<std::size_t>(watcher)].next;
    const std::int32_t next = link;
    link = kNobody;
    Stamp completed;
    if (event_known(state, event, completed)) {
      wake(state, watcher);
    } else {
      watch_event(state, watcher, event_index);
    }
    watcher = next;
  }
}

}  // namespace steptwin::sim
