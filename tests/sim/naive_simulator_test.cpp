#include "tests/sim/naive_simulator.h"

#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "tests/sim/program_writer.h"
#include "tests/sim/result_text.h"

// Streams, events, transfers and collectives; threads are in naive_host_test, overlaps in
// naive_rendezvous_test.
namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

std::string error_of(const Program& program) {
  try {
    naive_simulate(program);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// System: one stream, two kernels, a free host.
//   compute |--k0--|-k1-|
//           0      5    8
// Expectations: both are enqueued at 0; k1 is ready when k0 ends.
TEST_CASE("a stream runs its kernels one after the other") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 5);
  main.compute(kCompute, 3);
  const NaiveResult result = naive_simulate(program);
  CHECK(times_text(result, 0) == "0 0 0 5");
  CHECK(times_text(result, 1) == "0 5 5 8");
  CHECK(result.last_ns == 8);
  CHECK_FALSE(result.deadlocked);
}

// System: launches of 2 ns, the second kernel stands for three device launches.
//   main    |l0|--l1--|
//   compute    |k0|   |k1-|
//           0  2  3   8   12
TEST_CASE("a launch takes its time, for every device launch it stands for") {
  Program program = empty_program(1, {"compute"});
  program.host.launch_ns = 2;
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 1);
  main.compute(kCompute, 4);
  program.kernels[1].launches = 3;
  const NaiveResult result = naive_simulate(program);
  CHECK(times_text(result, 0) == "2 2 2 3");
  CHECK(times_text(result, 1) == "8 8 8 12");
  CHECK(host_text(result, 0, 0) == "launch 0-2, launch 2-8");
}

// System: k2 on comm waits for the compute stream's k0 and k1.
//   compute |-----k0-----|--k1--|
//   comm    wait..................|k2|
//           0            5      9    11
TEST_CASE("a stream wait holds back what is appended after it") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 5);
  main.compute(kCompute, 4);
  main.wait(kComm, main.record(kCompute));
  main.copy(kComm, 2);
  const NaiveResult result = naive_simulate(program);
  CHECK(times_text(result, 2) == "0 9 9 11");
}

// System: as above, but the event covers k0 only.
TEST_CASE("an event up to a kernel does not cover what came after it") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  const std::int32_t first = main.compute(kCompute, 5);
  main.compute(kCompute, 4);
  const std::int32_t event = main.new_event();
  main.record_event(event, kCompute, first);
  main.wait(kComm, event);
  main.copy(kComm, 2);
  CHECK(times_text(naive_simulate(program), 2) == "0 5 5 7");
}

// System: comm waits for e0, compute for e1 of comm: a chain of waits without kernels between.
//   copy    |---k0---|
//   comm    wait e0..| record e1
//   compute wait e1..|-k1-|
//           0        6    8
// Expectations: e1 covers the wait for e0; both pass at 6, in the same instant.
TEST_CASE("passing a wait completes events, which lets other waits pass") {
  Program program = empty_program(1, {"compute", "comm", "copy"});
  ThreadWriter main(program, 0, 0);
  main.copy(2, 6);
  const std::int32_t copied = main.record(2);
  main.wait(kComm, copied);
  const std::int32_t passed = main.record(kComm);
  main.wait(kCompute, passed);
  main.compute(kCompute, 2);
  CHECK(times_text(naive_simulate(program), 1) == "0 6 6 8");
}

// System: comm waits for an event that main records only at 4, on an empty stream.
TEST_CASE("an event that is not recorded yet is not complete") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  const std::int32_t event = main.new_event();
  main.wait(kComm, event);
  main.copy(kComm, 3);
  main.host_work(4);
  main.record_event(event, kCompute);
  CHECK(times_text(naive_simulate(program), 0) == "0 4 4 7");
}

// System: launch and record cost 1 each; the send's partner comes late.
//   rank 0 comm .|..........|====|        arrives at 1
//   rank 1 comm ............|====|        arrives at 5, behind 4 ns of host work
//               0 1         5    8
TEST_CASE("a transfer begins when both ends have arrived") {
  Program program = empty_program(2, {"compute", "comm"});
  program.host.launch_ns = 1;
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).send(kComm, pair, 1, 3);
  ThreadWriter other(program, 1, 0);
  other.host_work(4);
  other.recv(kComm, pair, 0, 3);
  const NaiveResult result = naive_simulate(program);
  CHECK(times_text(result, 0) == "1 1 5 8");
  CHECK(times_text(result, 1) == "5 5 5 8");
}

// System: rank 0 sends to 1 and 2 in one kernel; 1 comes at 2, 2 at 6; 3 ns each. k1 is behind it.
//   rank 0 |.....|==to 1==|.|==to 2==|-k1-|
//          0     2        5 6        9    10
TEST_CASE("a p2p kernel lasts from its first transfer to its last and keeps its stream") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter main(program, 0, 0);
  main.p2p(kComm, all,
           {{.is_send = true, .peer = 2, .transfer_ns = 3},
            {.is_send = true, .peer = 1, .transfer_ns = 3}});
  main.compute(kComm, 1);
  for (const std::int32_t rank : {1, 2}) {
    ThreadWriter other(program, rank, 0);
    other.host_work(rank == 1 ? 2 : 6);
    other.recv(kComm, all, 0, 3);
  }
  const NaiveResult result = naive_simulate(program);
  CHECK(times_text(result, 0) == "0 0 2 9");
  CHECK(times_text(result, 1) == "0 9 9 10");
  CHECK(times_text(result, 2) == "2 2 2 5");
  CHECK(times_text(result, 3) == "6 6 6 9");
}

// System: rank 0 sends 2 ns, then 5 ns; rank 1 receives both in one kernel, in that order.
//   rank 0 |k0|--k1--|     rank 1 |--k2--|
//          0  2      7            0      7
TEST_CASE("the k-th send meets the k-th receive, also inside one kernel") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  main.send(kComm, pair, 1, 2, 20);
  main.send(kComm, pair, 1, 5, 50);
  ThreadWriter(program, 1, 0)
      .p2p(kComm, pair,
           {{.is_send = false, .peer = 0, .bytes = 20, .transfer_ns = 2},
            {.is_send = false, .peer = 0, .bytes = 50, .transfer_ns = 5}});
  const NaiveResult result = naive_simulate(program);
  CHECK(times_text(result, 0) == "0 0 0 2");
  CHECK(times_text(result, 1) == "0 2 2 7");
  CHECK(times_text(result, 2) == "0 0 0 7");
}

TEST_CASE("ends of a transfer that differ are an error naming both") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).send(kComm, pair, 1, 2, 20);
  ThreadWriter(program, 1, 0).recv(kComm, pair, 0, 2, 30);
  CHECK(error_of(program) ==
        "error: send of 20 bytes in 2 ns by kernel 0 (FWD_SEND(s0,m0)) on rank 0 meets "
        "receive of 30 bytes in 2 ns by kernel 1 (FWD_RECV(s1,m1)) on rank 1; "
        "expected both ends alike");
}

// System: three members arrive at 0, 2 and 5; 4 ns.
TEST_CASE("a collective starts everywhere with its last member") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  for (const std::int32_t rank : {0, 1, 2}) {
    ThreadWriter main(program, rank, 0);
    main.host_work(rank == 0 ? 0 : 3 * rank - 1);
    main.collective(kComm, all, KernelKind::all_to_all, 4);
  }
  const NaiveResult result = naive_simulate(program);
  CHECK(times_text(result, 0) == "0 0 5 9");
  CHECK(times_text(result, 1) == "2 2 5 9");
  CHECK(times_text(result, 2) == "5 5 5 9");
}

TEST_CASE("calls of a collective that differ are an error naming both") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).collective(kComm, all, KernelKind::all_to_all, 4, 8);
  ThreadWriter(program, 1, 0).collective(kComm, all, KernelKind::all_reduce, 4, 8);
  CHECK(error_of(program) ==
        "error: all_to_all of 8 bytes in 4 ns by kernel 0 (FWD(s0,m0)) on rank 0 meets "
        "all_reduce of 8 bytes in 4 ns by kernel 1 (FWD(s1,m1)) on rank 1; "
        "expected all members alike");
}

// System: two ranks send to each other, then receive, all on one stream.
//   rank 0: k0 send, k1 recv     rank 1: k2 send, k3 recv
// Expectations: each send waits for a receive that is queued behind the other send.
TEST_CASE("deadlock: two sends head to head") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  for (const std::int32_t rank : {0, 1}) {
    ThreadWriter main(program, rank, 0);
    main.send(kComm, pair, 1 - rank, 2);
    main.recv(kComm, pair, 1 - rank, 2);
  }
  ThreadWriter(program, 1, 0).compute(kCompute, 6);
  const NaiveResult result = naive_simulate(program);
  CHECK(result.deadlocked);
  CHECK(blocked_text(result) == "rank 0 stream 1 kernel 0; rank 1 stream 1 kernel 2");
  CHECK(times_text(result, 0) == "0 0 -1 -1");
  CHECK(times_text(result, 1) == "0 -1 -1 -1");
  CHECK(times_text(result, 4) == "0 0 0 6");
  CHECK(result.last_ns == 6);
}

// System: the first of two parts is transferred, the peer of the second never comes.
TEST_CASE("deadlock: a p2p kernel keeps the start of its first transfer") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter(program, 0, 0)
      .p2p(kComm, all,
           {{.is_send = true, .peer = 1, .transfer_ns = 3},
            {.is_send = true, .peer = 2, .transfer_ns = 3}});
  ThreadWriter(program, 1, 0).recv(kComm, all, 0, 3);
  const NaiveResult result = naive_simulate(program);
  CHECK(blocked_text(result) == "rank 0 stream 1 kernel 0");
  CHECK(times_text(result, 0) == "0 0 0 -1");
  CHECK(times_text(result, 1) == "0 0 0 3");
}

// System: comm waits for an event that covers what is queued behind the wait.
TEST_CASE("deadlock: a stream that waits for itself") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  const std::int32_t event = main.new_event();
  main.wait(kComm, event);
  main.copy(kComm, 2);
  main.record_event(event, kComm);
  main.host_wait(event);
  const NaiveResult result = naive_simulate(program);
  CHECK(blocked_text(result) == "rank 0 thread 0 command 3; rank 0 stream 1 wait");
  CHECK(host_text(result, 0, 0) == "wait 0-0, launch 0-0, record 0-0");
}

}  // namespace
}  // namespace steptwin
