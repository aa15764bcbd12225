#include "sim/simulate.h"

#include <doctest/doctest.h>

#include "tests/sim/program_writer.h"

namespace steptwin::sim {
namespace {

// Rank 0: k0 sends to 1 and 2 in one kernel; a forked thread launches k1. Ranks 1, 2 receive.
Program small() {
  Program program = empty_program(3, {"compute", "comm"});
  program.host.launch_ns = 2;
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter main(program, 0, 0);
  main.p2p(1, all,
           {{.is_send = true, .peer = 2, .bytes = 10, .transfer_ns = 3},
            {.is_send = true, .peer = 1, .bytes = 20, .transfer_ns = 4}});
  ThreadWriter forked = main.fork();
  forked.compute(0, 5);
  program.kernels[1].layer = 3;
  forked.rendezvous(Role::compute);
  forked.commands().back().hook = Hook::b;
  forked.commands().back().index = 3;
  main.rendezvous(Role::comm);
  main.depart();
  main.join(forked);
  ThreadWriter(program, 1, 0).recv(1, all, 0, 4, 20);
  ThreadWriter(program, 2, 0).recv(1, all, 0, 3, 10);
  return program;
}

TEST_CASE("the trace has the program's streams and threads, and every kernel by its id") {
  const Trace trace = std::get<Trace>(simulate(small()));
  REQUIRE(trace.ranks.size() == 3);
  CHECK(trace.ranks[0].streams == std::vector<std::string>{"compute", "comm"});
  CHECK(trace.ranks[0].threads == std::vector<std::string>{"main", "backward.1"});
  REQUIRE(trace.kernels.size() == 4);
  for (std::size_t id = 0; id < 4; ++id) {
    CHECK(trace.kernels[id].kernel == static_cast<std::int64_t>(id));
  }
  const TraceKernel& send = trace.kernels[0];
  CHECK(send.peers == std::vector<std::int32_t>{2, 1});
  CHECK(send.bytes == 30);
  CHECK(send.thread == 0);
  CHECK(send.stream == 1);
  CHECK(send.step == StepType::fwd_send);
  CHECK((send.times == KernelTimes{2, 2, 2, 6}));
  REQUIRE(trace.parts.size() == 2);
  CHECK(send.first_part == 0);
  CHECK((trace.parts[0] == TracePart{StepType::fwd_send, -1, -1, 2, 5}));
  CHECK((trace.parts[1] == TracePart{StepType::fwd_send, -1, -1, 2, 6}));
  CHECK(trace.kernels[2].first_part == -1);
  const TraceKernel& compute = trace.kernels[1];
  CHECK(compute.thread == 1);
  CHECK(compute.layer == 3);
  CHECK(compute.peers.empty());
  CHECK((compute.times == KernelTimes{4, 4, 4, 9}));
}

TEST_CASE("host records come by rank, thread and position, with what a reader needs of them") {
  const Trace trace = std::get<Trace>(simulate(small()));
  REQUIRE(trace.host.size() == 9);
  CHECK(trace.host[0].command == CommandType::launch);
  CHECK(trace.host[0].kernel == 0);
  CHECK(trace.host[0].begin_ns == 0);
  CHECK(trace.host[0].end_ns == 2);
  const HostRecord& rendezvous = trace.host[6];
  CHECK(rendezvous.thread == 1);
  CHECK(rendezvous.command == CommandType::rendezvous);
  CHECK(rendezvous.role == Role::compute);
  CHECK(rendezvous.hook == Hook::b);
  CHECK(rendezvous.layer == 3);
  CHECK(rendezvous.kernel == -1);
  CHECK(trace.host[7].rank == 1);
  CHECK(trace.host[8].rank == 2);
}

TEST_CASE("host records are left out where they are not wanted; times stay the same") {
  const Trace with = std::get<Trace>(simulate(small()));
  const Trace without = std::get<Trace>(simulate(small(), {.host_records = false}));
  CHECK(without.host.empty());
  for (std::size_t id = 0; id < 4; ++id) {
    CHECK((with.kernels[id].times == without.kernels[id].times));
  }
}

TEST_CASE("what can never end is a deadlock, not a trace") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).recv(1, pair, 1, 2);
  const auto outcome = simulate(program);
  REQUIRE(std::holds_alternative<Deadlock>(outcome));
  const Deadlock& deadlock = std::get<Deadlock>(outcome);
  CHECK((deadlock.times[0] == KernelTimes{0, 0, -1, -1}));
  CHECK(deadlock.blocked.size() == 1);
}

}  // namespace
}  // namespace steptwin::sim
