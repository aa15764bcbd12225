#include "hw/team_rows.h"

#include <doctest/doctest.h>

#include "tests/sim/program_writer.h"

namespace steptwin::hw {
namespace {

// System: rank 0 computes (k0) and sends (k1, part 0), rank 1 receives (k2, part 1).
Program pair_program() {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter first(program, 0, 0);
  first.compute(0, 1000);
  first.p2p(1, pair, {{true, StepType::fwd_send, 1, 0, 0, 8, 0}});
  ThreadWriter second(program, 1, 0);
  second.p2p(1, pair, {{false, StepType::fwd_recv, 0, 1, 0, 8, 0}});
  return program;
}

IterationTimes blank(const Program& program) {
  IterationTimes times;
  times.stamps.kernels.resize(program.kernels.size());
  times.stamps.parts.resize(program.p2p_parts.size());
  times.stamps.communications.resize(program.ranks.size());
  times.commands.resize(3);
  times.ended_ns.resize(program.ranks.size(), 0);
  return times;
}

TEST_CASE("a rank's times go to their places, on the other clock, and touch no other's") {
  const Program program = pair_program();
  IterationTimes own = blank(program);
  own.zero_ns = 100;
  own.stamps.kernels[1] = {11, 12, 13, 14};
  own.stamps.parts[0] = {13, 14};
  own.stamps.communications[0] = {1};
  own.commands[1] = {5, 6};
  own.ended_ns[0] = 20;
  // What another rank has is not sent.
  own.stamps.kernels[2] = {91, 92, 93, 94};
  own.ended_ns[1] = 95;
  const std::vector<std::int64_t> row = row_of(program, 0, own, 1000);
  IterationTimes all = blank(program);
  all.zero_ns = 5000;
  all.stamps.kernels[2] = {1, 2, 3, 4};
  all.commands[2] = {7, 8};
  put_row(row, program, 0, all);
  CHECK(all.zero_ns == 1100);
  CHECK(all.stamps.kernels[1].enqueue_ns == 1011);
  CHECK(all.stamps.kernels[1].ready_ns == 1012);
  CHECK(all.stamps.kernels[1].start_ns == 1013);
  CHECK(all.stamps.kernels[1].end_ns == 1014);
  CHECK(all.stamps.parts[0].begin_ns == 1013);
  CHECK(all.stamps.parts[0].end_ns == 1014);
  CHECK(all.stamps.communications[0] == std::vector<std::int64_t>{1});
  CHECK(all.commands[1].begin_ns == 1005);
  CHECK(all.commands[1].end_ns == 1006);
  CHECK(all.ended_ns[0] == 1020);
  CHECK(all.stamps.kernels[2].end_ns == 4);
  CHECK(all.commands[2].end_ns == 8);
  CHECK(all.ended_ns[1] == 0);
  CHECK(all.stamps.parts[1].end_ns == blank(program).stamps.parts[1].end_ns);
}

TEST_CASE("of all zeros the earliest counts") {
  const Program program = pair_program();
  IterationTimes own = blank(program);
  own.zero_ns = 100;
  IterationTimes all = blank(program);
  all.zero_ns = 90;
  put_row(row_of(program, 1, own, 0), program, 1, all);
  CHECK(all.zero_ns == 90);
}

TEST_CASE("where a rank has stopped is the same at the other end") {
  Program program = pair_program();
  program.ranks[0].events = 2;
  StoppedRank rank;
  rank.forked = -1;
  rank.threads.assign(program.ranks[0].threads.size(), {ThreadStop{}, 7});
  rank.streams = {{{0, 1, ~1}, 2}, {{}, 0}};
  rank.events = {{1, 3}, {-1, 0}};
  const StoppedRank same = stopped_rank(row_of(rank), program.ranks[0]);
  CHECK(same.forked == -1);
  REQUIRE(same.threads.size() == rank.threads.size());
  CHECK(same.threads[0].position == 7);
  REQUIRE(same.streams.size() == 2);
  CHECK(same.streams[0].passed == 2);
  CHECK(same.streams[0].entries == rank.streams[0].entries);
  CHECK(same.streams[1].entries.empty());
  REQUIRE(same.events.size() == 2);
  CHECK(same.events[0].stream == 1);
  CHECK(same.events[0].covered == 3);
  CHECK(same.events[1].stream == -1);
}

}  // namespace
}  // namespace steptwin::hw
