#include <doctest/doctest.h>

#include "tests/sim/naive_simulator.h"
#include "tests/sim/program_writer.h"
#include "tests/sim/result_text.h"

// Host threads: costs, blocking, turns and the launch lock.
namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;

// System: launch 2, event 1.
//   main    |l0|r|w|l1|
//   compute    |--k0--|
//   comm       wait...|-k1-|
//           0  2 3 4  6 7  10
TEST_CASE("records and waits take the event time and act at its end") {
  Program program = empty_program(1, {"compute", "comm"});
  program.host.launch_ns = 2;
  program.host.event_ns = 1;
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 5);
  main.wait(1, main.record(kCompute));
  main.copy(1, 3);
  const NaiveResult result = naive_simulate(program);
  CHECK(host_text(result, 0, 0) == "launch 0-2, record 2-3, wait 3-4, launch 4-6");
  CHECK(times_text(result, 1) == "6 7 7 10");
}

// System: wake 3. main waits for k0 (5 ns), works 4 ns, then waits for the same event again.
//   main |..host_wait..|wake|work|
//        0             5    8    12
// Expectations: blocked until 5, goes on at 8; the second wait costs nothing.
TEST_CASE("a host wait pays the wake time only if it has to block") {
  Program program = empty_program(1, {"compute"});
  program.host.wake_ns = 3;
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 5);
  const std::int32_t event = main.record(kCompute);
  main.host_wait(event);
  main.host_work(4);
  main.host_wait(event);
  CHECK(host_text(naive_simulate(program), 0, 0) ==
        "launch 0-0, record 0-0, host_wait 0-8, host_work 8-12, host_wait 12-12");
}

// System: k0 lasts to 5, `behind` kernels of no duration follow, e covers them. The forked thread
// is busy until 5 and then waits for e; wake 3.
// At 5, round 1: k0 ends, the work completes, k1 starts. Round 2: k1 ends, then the wait begins.
// Expectations: with one kernel e is complete by then; with two the wait blocks for a round.
TEST_CASE("a kernel of no duration ends in the next round of its instant") {
  for (const std::int32_t behind : {1, 2}) {
    CAPTURE(behind);
    Program program = empty_program(1, {"compute"});
    program.host.wake_ns = 3;
    ThreadWriter main(program, 0, 0);
    ThreadWriter forked = main.fork();
    main.compute(kCompute, 5);
    for (std::int32_t kernel = 0; kernel < behind; ++kernel) main.compute(kCompute, 0);
    const std::int32_t event = main.record(kCompute);
    forked.host_work(5);
    forked.host_wait(event);
    main.join(forked);
    const NaiveResult result = naive_simulate(program);
    CHECK(host_text(result, 0, 1) ==
          (behind == 1 ? "host_work 0-5, host_wait 5-5" : "host_work 0-5, host_wait 5-8"));
    CHECK(times_text(result, behind) == "0 5 5 5");
  }
}

// System: fork 2, wake 3; the forked thread works 4 ns, main joins at once.
//   main   |fork|....join....|wake|
//   forked      |---work---|
//          0    2          6      9
TEST_CASE("a forked thread lives from the end of its fork; a join that blocks pays the wake time") {
  Program program = empty_program(1, {"compute"});
  program.host.fork_ns = 2;
  program.host.wake_ns = 3;
  ThreadWriter main(program, 0, 0);
  ThreadWriter forked = main.fork();
  forked.host_work(4);
  main.join(forked);
  const NaiveResult result = naive_simulate(program);
  CHECK(host_text(result, 0, 1) == "host_work 2-6");
  CHECK(host_text(result, 0, 0) == "fork 0-2, join 2-9");
}

TEST_CASE("a thread without commands ends where it begins to live; its join costs nothing") {
  Program program = empty_program(1, {"compute"});
  program.host.fork_ns = 2;
  program.host.wake_ns = 3;
  ThreadWriter main(program, 0, 0);
  main.join(main.fork());
  CHECK(host_text(naive_simulate(program), 0, 0) == "fork 0-2, join 2-2");
}

// System: a free host; main forks, then launches k0, k1; the forked thread launches k2, k3.
// Round 1: main forks, the forked thread launches k2. Round 2: k0, k3. Round 3: k1.
//   compute |k2|k0|k3|k1|
//           0  1  2  3  4
TEST_CASE("two free threads take turns, main first") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  ThreadWriter forked = main.fork();
  for (int kernel = 0; kernel < 2; ++kernel) main.compute(kCompute, 1);
  for (int kernel = 0; kernel < 2; ++kernel) forked.compute(kCompute, 1);
  main.join(forked);
  const NaiveResult result = naive_simulate(program);
  CHECK(times_text(result, 2) == "0 0 0 1");
  CHECK(times_text(result, 0) == "0 1 1 2");
  CHECK(times_text(result, 3) == "0 2 2 3");
  CHECK(times_text(result, 1) == "0 3 3 4");
}

// System: as above with launches of 3 ns, once without the lock and once with it.
//   without  main   |l0|l1|       with  main   |...|l0|...|l1|
//            forked |l2|l3|             forked |l2|...|l3|
//                   0  3  6                    0  3   6   9  12
// Expectations: without it both launch at a time, and at 3 main's k0 is appended before k2.
// With it the forked thread has the first turn with a launch to begin, and they alternate: who has
// just launched asks again behind the one who waits. The wake time of 7 is never paid for it.
TEST_CASE("with one launch lock the launches of a rank follow one another") {
  for (const bool lock : {false, true}) {
    CAPTURE(lock);
    Program program = empty_program(1, {"compute"});
    program.host.launch_ns = 3;
    program.host.wake_ns = 7;
    program.host.one_launch_lock = lock;
    ThreadWriter main(program, 0, 0);
    ThreadWriter forked = main.fork();
    for (int kernel = 0; kernel < 2; ++kernel) main.compute(kCompute, 1);
    for (int kernel = 0; kernel < 2; ++kernel) forked.compute(kCompute, 1);
    main.join(forked);
    const NaiveResult result = naive_simulate(program);
    if (lock) {
      CHECK(host_text(result, 0, 0) == "fork 0-0, launch 0-6, launch 6-12, join 12-12");
      CHECK(host_text(result, 0, 1) == "launch 0-3, launch 3-9");
      CHECK(times_text(result, 2) == "3 3 3 4");
      CHECK(times_text(result, 0) == "6 6 6 7");
    } else {
      CHECK(host_text(result, 0, 0) == "fork 0-0, launch 0-3, launch 3-6, join 6-6");
      CHECK(host_text(result, 0, 1) == "launch 0-3, launch 3-6");
      CHECK(times_text(result, 2) == "3 4 4 5");
      CHECK(times_text(result, 0) == "3 3 3 4");
    }
  }
}

// System: main waits for an event that the forked thread records at 4, on an idle stream.
// Expectations: main goes on at its next turn, at 4, without wake time.
TEST_CASE("without wake time a blocked thread goes on in the instant that frees it") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  ThreadWriter forked = main.fork();
  const std::int32_t event = main.new_event();
  main.host_wait(event);
  forked.host_work(4);
  forked.record_event(event, kCompute);
  main.compute(kCompute, 1);
  main.join(forked);
  const NaiveResult result = naive_simulate(program);
  CHECK(host_text(result, 0, 0) == "fork 0-0, host_wait 0-4, launch 4-4, join 4-4");
  CHECK(times_text(result, 0) == "4 4 4 5");
}

}  // namespace
}  // namespace steptwin
