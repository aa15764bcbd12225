#include <doctest/doctest.h>
#include <string>

#include "tests/sim/naive_simulator.h"
#include "tests/sim/program_writer.h"
#include "tests/sim/result_text.h"

// The two sides of an overlap.
namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;

// A rank whose main thread has forked; finish() joins and runs it.
struct Overlap {
  explicit Overlap(const HostCosts& host = {}) { program.host = host; }

  NaiveResult finish() {
    main.join(forked);
    return naive_simulate(program);
  }

  Program program = empty_program(1, {"compute"});
  ThreadWriter main{program, 0, 0};
  ThreadWriter forked = main.fork();
};

// System: rendezvous 2, wake 3. The COMM side arrives at 0, the COMPUTE side at 4.
//   forked COMM    |..barrier..|--|wake|--work 5--|notify
//   main COMPUTE   |--work 4---|--|...............|wake|
//                  0           4  6    9          14   17
TEST_CASE("the COMPUTE side waits for the COMM side's notify") {
  Overlap overlap({.rendezvous_ns = 2, .wake_ns = 3});
  overlap.main.host_work(4);
  overlap.main.rendezvous(Role::compute);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.host_work(5);
  overlap.forked.notify(Role::comm);
  const NaiveResult result = overlap.finish();
  CHECK(host_text(result, 0, 1) == "rendezvous 0-9, host_work 9-14, notify 14-14");
  CHECK(host_text(result, 0, 0) == "fork 0-0, host_work 0-4, rendezvous 4-17, join 17-17");
}

// System: the same costs, but the COMPUTE side is the earlier one.
//   main COMPUTE   |..barrier..|--|wake.|
//   forked COMM    |--work 4---|--|1|notify
//                  0           4  6 7   9
// Expectations: at 9, when main may leave, the notify has come; no further wake time.
TEST_CASE("a notify that comes before the COMPUTE side may leave costs nothing") {
  Overlap overlap({.rendezvous_ns = 2, .wake_ns = 3});
  overlap.main.rendezvous(Role::compute);
  overlap.forked.host_work(4);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.host_work(1);
  overlap.forked.notify(Role::comm);
  const NaiveResult result = overlap.finish();
  CHECK(host_text(result, 0, 1) == "host_work 0-4, rendezvous 4-6, host_work 6-7, notify 7-7");
  CHECK(host_text(result, 0, 0) == "fork 0-0, rendezvous 0-9, join 9-9");
}

// System: a free host. main's kernel k0 is the compute, the forked thread's k1 the collective.
// Round 1: fork; the forked thread arrives. 2: main arrives, opens the barrier, lacks a notify; the
// forked thread completes. 3: k1. 4: notify. 5: main completes. 6: k0.
TEST_CASE("the COMM side launches first, though main has the first turn") {
  Overlap overlap;
  overlap.main.rendezvous(Role::compute);
  overlap.main.compute(kCompute, 1);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.compute(kCompute, 1);
  overlap.forked.notify(Role::comm);
  const NaiveResult result = overlap.finish();
  CHECK(times_text(result, 1) == "0 0 0 1");
  CHECK(times_text(result, 0) == "0 1 1 2");
}

// System: a free host, both sides COMM, so neither waits for a notify.
// Round 1: fork; the forked thread arrives. 2: main arrives and completes in that turn; the forked
// thread completes at its next turn, in the same round. 3: k0 of main, k1 of the forked thread.
TEST_CASE("two COMM sides both go on") {
  Overlap overlap;
  overlap.main.rendezvous(Role::comm);
  overlap.main.compute(kCompute, 1);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.compute(kCompute, 1);
  const NaiveResult result = overlap.finish();
  CHECK(times_text(result, 0) == "0 0 0 1");
  CHECK(times_text(result, 1) == "0 1 1 2");
}

TEST_CASE("deadlock: two COMPUTE sides wait for a notify that neither can give") {
  Overlap overlap;
  overlap.main.rendezvous(Role::compute);
  overlap.main.notify(Role::comm);
  overlap.forked.rendezvous(Role::compute);
  overlap.forked.notify(Role::comm);
  CHECK(blocked_text(overlap.finish()) == "rank 0 thread 0 command 1; rank 0 thread 1 command 0");
}

// System: the COMM side notifies before its first rendezvous and after it.
// Expectations: only the second, at 5, frees the COMPUTE side.
TEST_CASE("a notify without an earlier COMM rendezvous does nothing") {
  Overlap overlap;
  overlap.main.rendezvous(Role::compute);
  overlap.forked.notify(Role::comm);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.notify(Role::compute);
  overlap.forked.host_work(5);
  overlap.forked.notify(Role::comm);
  CHECK(host_text(overlap.finish(), 0, 0) == "fork 0-0, rendezvous 0-5, join 5-5");
}

// System: each notify answers one rendezvous. The roles alternate as the hooks of an overlap do.
//   forked  COMM | work 2 | notify(COMM) | COMPUTE ...............|
//   main    COMPUTE ......|         COMM | work 3 | notify(COMM)
//           0             2                       5
TEST_CASE("roles alternate from barrier to barrier") {
  Overlap overlap;
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.host_work(2);
  overlap.forked.notify(Role::comm);
  overlap.forked.rendezvous(Role::compute);
  overlap.main.rendezvous(Role::compute);
  overlap.main.notify(Role::compute);
  overlap.main.rendezvous(Role::comm);
  overlap.main.host_work(3);
  overlap.main.notify(Role::comm);
  const NaiveResult result = overlap.finish();
  CHECK(host_text(result, 0, 1) == "rendezvous 0-0, host_work 0-2, notify 2-2, rendezvous 2-5");
  CHECK(host_text(result, 0, 0) ==
        "fork 0-0, rendezvous 0-2, notify 2-2, rendezvous 2-2, host_work 2-5, notify 5-5, join "
        "5-5");
}

// System: wake 3; main is at the barrier when the forked thread departs at 4.
//   main   |..barrier....|wake|, then a rendezvous that costs nothing
//   forked |--work 4--|depart
//          0          4       7
TEST_CASE("a departure frees the partner at the barrier, and every rendezvous after it") {
  Overlap overlap({.rendezvous_ns = 2, .wake_ns = 3});
  overlap.main.rendezvous(Role::compute);
  overlap.main.rendezvous(Role::compute);
  overlap.forked.host_work(4);
  overlap.forked.depart();
  CHECK(host_text(overlap.finish(), 0, 0) == "fork 0-0, rendezvous 0-7, rendezvous 7-7, join 7-7");
}

// System: wake 3; the barrier opens at 0, the forked COMM side departs at 4 instead of notifying.
// Round 1: fork, the forked thread arrives first and leaves at 3. main waits for a notify from 0.
TEST_CASE("a departure frees the partner that waits for a notify") {
  Overlap overlap({.wake_ns = 3});
  overlap.main.rendezvous(Role::compute);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.host_work(1);
  overlap.forked.depart();
  const NaiveResult result = overlap.finish();
  CHECK(host_text(result, 0, 1) == "rendezvous 0-3, host_work 3-4, depart 4-4");
  CHECK(host_text(result, 0, 0) == "fork 0-0, rendezvous 0-7, join 7-7");
}

// System: rendezvous 2, wake 3. main COMPUTE arrives first and may leave at 4 + 2 + 3 = 9; the
// forked COMM side leaves at 6 and departs.
// Expectations: main leaves at 9, without a notify and without more wake time.
TEST_CASE("a departure spares the partner that is leaving the barrier the notify") {
  Overlap overlap({.rendezvous_ns = 2, .wake_ns = 3});
  overlap.main.rendezvous(Role::compute);
  overlap.forked.host_work(4);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.depart();
  CHECK(host_text(overlap.finish(), 0, 0) == "fork 0-0, rendezvous 0-9, join 9-9");
}

// System: wake 5; the COMM side arrives first, leaves the barrier at 5, notifies, departs at 7.
// Expectations: main goes on at 10, once: what freed it first counts.
TEST_CASE("a departure after the notify changes nothing") {
  Overlap overlap({.wake_ns = 5});
  overlap.main.rendezvous(Role::compute);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.notify(Role::comm);
  overlap.forked.host_work(2);
  overlap.forked.depart();
  CHECK(host_text(overlap.finish(), 0, 0) == "fork 0-0, rendezvous 0-10, join 10-10");
}

TEST_CASE("deadlock: a thread that ends without departing frees nobody") {
  Overlap overlap;
  overlap.main.host_work(2);
  overlap.main.rendezvous(Role::comm);
  overlap.forked.host_work(1);
  const NaiveResult result = overlap.finish();
  CHECK(blocked_text(result) == "rank 0 thread 0 command 2");
  CHECK(result.last_ns == 2);
}

TEST_CASE("outside an overlap main's rendezvous completes at once") {
  Program program = empty_program(1, {"compute"});
  program.host = {.rendezvous_ns = 2, .wake_ns = 3, .fork_ns = 1};
  ThreadWriter main(program, 0, 0);
  main.rendezvous(Role::compute);
  main.join(main.fork());
  main.rendezvous(Role::compute);
  CHECK(host_text(naive_simulate(program), 0, 0) ==
        "rendezvous 0-0, fork 0-1, join 1-1, rendezvous 1-1");
}

// System: the first forked thread departs; in the second overlap nobody does.
TEST_CASE("deadlock: a fork begins afresh, an earlier departure no longer counts") {
  Overlap overlap;
  overlap.forked.depart();
  overlap.main.join(overlap.forked);
  ThreadWriter second = overlap.main.fork();
  overlap.main.rendezvous(Role::comm);
  overlap.main.join(second);
  CHECK(blocked_text(naive_simulate(overlap.program)) == "rank 0 thread 0 command 3");
}

}  // namespace
}  // namespace steptwin
