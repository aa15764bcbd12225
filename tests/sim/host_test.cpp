#include "sim/host.h"

#include <doctest/doctest.h>

#include "tests/sim/engine_result.h"
#include "tests/sim/program_writer.h"

// Host threads of the engine, by the clock.
namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

// System: launch 3, event 2, fork 4; the second kernel stands for two device launches.
//   main |l0 3|r 2|w 2|l1 6|work 5|fork 4|
//        0    3   5   7    13     18     22
TEST_CASE("engine: every command takes its time, one after the other") {
  Program program = empty_program(1, {"compute", "comm"});
  program.host.launch_ns = 3;
  program.host.event_ns = 2;
  program.host.fork_ns = 4;
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 1);
  main.wait(kComm, main.record(kCompute));
  main.copy(kComm, 1);
  program.kernels[1].launches = 2;
  main.commands().back().index = 2;
  main.host_work(5);
  main.join(main.fork());
  const NaiveResult result = engine_result(program);
  CHECK(host_text(result, 0, 0) ==
        "launch 0-3, record 3-5, wait 5-7, launch 7-13, host_work 13-18, fork 18-22, join 22-22");
  CHECK(times_text(result, 1) == "13 13 13 14");
}

// System: rank 1 waits on the host for what rank 0 sends at 6; transfer 4, wake 2.
//   rank 0 main |--work 6--|send
//   rank 1 main |....host_wait.....|wake|launch k2
//               0          6      10   12
TEST_CASE(
    "engine: a host that waits for another rank resumes after the transfer and its wake time") {
  Program program = empty_program(2, {"compute", "comm"});
  program.host.wake_ns = 2;
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  main.host_work(6);
  main.send(kComm, pair, 1, 4);
  ThreadWriter other(program, 1, 0);
  other.recv(kComm, pair, 0, 4);
  other.host_wait(other.record(kComm));
  other.compute(kCompute, 1);
  const NaiveResult result = engine_result(program);
  CHECK(host_text(result, 1, 0) == "launch 0-0, record 0-0, host_wait 0-12, launch 12-12");
  CHECK(times_text(result, 2) == "12 12 12 13");
}

// System: main hangs in host_wait for a transfer whose end is not known when the forked thread
// launches at 1, 2 and 3. Held back, they still come before what main launches at 9.
//   main   |......host_wait.......|k3
//   forked |k0|k1|k2|
//          0  1  2  3 .. 9
TEST_CASE("engine: a thread that waits for an unknown time does not stop the other one") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  ThreadWriter forked = main.fork();
  main.recv(kComm, pair, 1, 4);
  main.host_wait(main.record(kComm));
  main.compute(kCompute, 1);
  for (int launch = 0; launch < 3; ++launch) {
    forked.host_work(1);
    forked.compute(kCompute, 1);
  }
  main.join(forked);
  ThreadWriter other(program, 1, 0);
  other.host_work(5);
  other.send(kComm, pair, 0, 4);
  const NaiveResult result = engine_result(program);
  CHECK(times_text(result, 1) == "9 9 9 10");
  CHECK(times_text(result, 2) == "1 1 1 2");
  CHECK(times_text(result, 3) == "2 2 2 3");
  CHECK(times_text(result, 4) == "3 3 3 4");
}

// System: launches of 4 under one lock, wake 9. main asks at 0, the forked thread at 1, main again
// at 4.
//   main   |l0 4|.....|l1 4|
//   forked |w|..|l2 4|
//          0 1  4    8     12
TEST_CASE("engine: one launch lock: first come, first served, at no wake time") {
  Program program = empty_program(1, {"compute"});
  program.host.launch_ns = 4;
  program.host.wake_ns = 9;
  program.host.one_launch_lock = true;
  ThreadWriter main(program, 0, 0);
  ThreadWriter forked = main.fork();
  main.compute(kCompute, 1);
  main.compute(kCompute, 1);
  forked.host_work(1);
  forked.compute(kCompute, 1);
  main.join(forked);
  const NaiveResult result = engine_result(program);
  CHECK(host_text(result, 0, 0) == "fork 0-0, launch 0-4, launch 4-12, join 12-12");
  CHECK(host_text(result, 0, 1) == "host_work 0-1, launch 1-8");
}

// More commands than one visit of a rank takes.
TEST_CASE("engine: a long thread runs on, whatever a visit may hold") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  program.host.launch_ns = 1;
  ThreadWriter main(program, 0, 0);
  for (int launch = 0; launch < 1000; ++launch) main.compute(kCompute, 2);
  main.wait(kComm, main.record(kCompute));
  main.send(kComm, pair, 1, 7);
  ThreadWriter(program, 1, 0).recv(kComm, pair, 0, 7);
  const NaiveResult result = engine_result(program);
  CHECK(times_text(result, 999) == "1000 1999 1999 2001");
  CHECK(times_text(result, 1001) == "1 1 2001 2008");
}

}  // namespace
}  // namespace steptwin
