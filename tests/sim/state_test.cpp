#include "sim/state.h"

#include <doctest/doctest.h>

#include "tests/sim/program_writer.h"

namespace steptwin::sim {
namespace {

// Rank 0: k0, record e0, wait for it on comm, k1 on comm; forks a thread. Rank 1: k2.
Program small() {
  Program program = empty_program(2, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  main.compute(0, 5);
  main.wait(1, main.record(0));
  main.copy(1, 3);
  main.join(main.fork());
  ThreadWriter(program, 1, 0).compute(0, 1);
  return program;
}

TEST_CASE("a fresh state: everything numbered through the ranks, room for every entry") {
  const Program program = small();
  const State state = make_state(program, true);
  CHECK(state.streams.size() == 4);
  CHECK(state.threads.size() == 3);
  CHECK(state.events.size() == 1);
  CHECK(state.ranks[1].first_stream == 2);
  CHECK(state.ranks[1].first_thread == 2);
  CHECK(state.ranks[1].first_event == 1);
  // compute of rank 0: k0; its comm: the wait and k1; compute of rank 1: k2.
  CHECK(state.entries.size() == 4);
  CHECK(state.streams[1].first_entry == 1);
  CHECK(state.streams[2].first_entry == 3);
  CHECK(state.records.size() == 7);
  CHECK(make_state(program, false).records.empty());
}

TEST_CASE("main threads are about to begin, forked ones are not born") {
  const Program program = small();
  const State state = make_state(program, false);
  CHECK(state.threads[0].phase == ThreadPhase::beginning);
  CHECK(state.threads[1].phase == ThreadPhase::unborn);
  CHECK(state.threads[2].phase == ThreadPhase::beginning);
  CHECK(state.active_ranks.size() == 2);
  Program idle = empty_program(1, {"compute"});
  CHECK(make_state(idle, false).threads[0].phase == ThreadPhase::ended);
}

TEST_CASE("what is active is queued once") {
  const Program program = small();
  State state = make_state(program, false);
  state.active_ranks.clear();
  for (RankState& rank : state.ranks) rank.queued = false;
  activate_rank(state, 1);
  activate_rank(state, 1);
  activate_stream(state, 2);
  activate_stream(state, 2);
  CHECK(state.active_ranks == std::vector<std::int32_t>{1});
  CHECK(state.active_streams == std::vector<std::int32_t>{2});
}

// An event over the first entry of compute, recorded at 3, whose entry is passed at 5.
TEST_CASE("an event is complete when it is recorded and what it covers is passed") {
  const Program program = small();
  State state = make_state(program, false);
  Stamp completed;
  CHECK_FALSE(event_known(state, state.events[0], completed));
  state.events[0] = {3, 1, 0, 1, kNobody};
  state.streams[0].appended = 1;
  CHECK_FALSE(event_known(state, state.events[0], completed));
  state.streams[0].passed = 1;
  state.entries[0] = {5, 0, 0};
  REQUIRE(event_known(state, state.events[0], completed));
  CHECK(completed == Stamp{5, 0});
  state.entries[0] = {2, 0, 0};  // had ended before it was recorded
  REQUIRE(event_known(state, state.events[0], completed));
  CHECK(completed == Stamp{3, 1});
  state.events[0].position = 0;  // an empty stream: nothing to wait for
  REQUIRE(event_known(state, state.events[0], completed));
  CHECK(completed == Stamp{3, 1});
}

// Stream 1 and main (watcher 4 + 0) wait for positions 2 and 1 of stream 0.
TEST_CASE("watchers are woken when their position is passed, not before") {
  Program program = empty_program(1, {"compute", "comm", "copy", "more"});
  ThreadWriter main(program, 0, 0);
  main.compute(0, 1);
  main.record(0);
  main.compute(0, 1);
  main.record(0);
  State state = make_state(program, false);
  state.active_ranks.clear();
  state.ranks[0].queued = false;
  state.events[0] = {0, 0, 0, 1, kNobody};
  state.events[1] = {0, 0, 0, 2, kNobody};
  watch_event(state, 1, 1);
  watch_event(state, 4, 0);
  release_watchers(state, 0);
  CHECK(state.active_ranks.empty());
  state.streams[0].passed = 1;
  release_watchers(state, 0);
  CHECK(state.active_ranks == std::vector<std::int32_t>{0});
  CHECK(state.active_streams.empty());
  CHECK(state.streams[0].watched_position == 2);
  state.streams[0].passed = 2;
  release_watchers(state, 0);
  CHECK(state.active_streams == std::vector<std::int32_t>{1});
  CHECK(state.streams[0].watchers == kNobody);
}

// Two streams wait for an event before it is recorded; then it covers one entry, passed or not.
TEST_CASE("who waits for a record goes on, or waits for the stream it covers") {
  for (const bool passed : {true, false}) {
    CAPTURE(passed);
    Program program = empty_program(1, {"compute", "comm", "copy"});
    ThreadWriter main(program, 0, 0);
    main.compute(0, 1);
    main.record(0);
    State state = make_state(program, false);
    watch_event(state, 1, 0);
    watch_event(state, 2, 0);
    CHECK(state.active_streams.empty());
    state.streams[0].passed = passed ? 1 : 0;
    state.events[0].stream = 0;
    state.events[0].position = 1;
    event_recorded(state, 0);
    CHECK(state.active_streams.size() == (passed ? 2 : 0));
    CHECK((state.streams[0].watchers == kNobody) == passed);
    state.streams[0].passed = 1;
    release_watchers(state, 0);
    CHECK(state.active_streams.size() == 2);
  }
}

}  // namespace
}  // namespace steptwin::sim
