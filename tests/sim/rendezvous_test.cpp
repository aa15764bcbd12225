#include "sim/rendezvous.h"

#include <doctest/doctest.h>

#include "tests/sim/engine_result.h"
#include "tests/sim/program_writer.h"

// The two sides of an overlap in the engine, by the clock.
namespace steptwin {
namespace {

// A rank whose main thread has forked.
struct Overlap {
  explicit Overlap(const HostCosts& host = {}) { program.host = host; }

  NaiveResult finish() {
    main.join(forked);
    return engine_result(program);
  }

  Program program = empty_program(1, {"compute"});
  ThreadWriter main{program, 0, 0};
  ThreadWriter forked = main.fork();
};

// System: rendezvous 2, wake 5. The COMPUTE side arrives at 0, the COMM side at 10, works 3 and
// notifies.
//   main COMPUTE   |......barrier......|--|wake 5|........
//   forked COMM    |-----work 10-------|--|work 3|notify
//                  0                   10 12    15  17
// Expectations: main may leave at 10 + 2 + 5 = 17, and the notify of 15 has come by then.
TEST_CASE("engine: the COMPUTE side leaves when the COMM side has notified") {
  Overlap overlap({.rendezvous_ns = 2, .wake_ns = 5});
  overlap.main.rendezvous(Role::compute);
  overlap.forked.host_work(10);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.host_work(3);
  overlap.forked.notify(Role::comm);
  const NaiveResult result = overlap.finish();
  CHECK(host_text(result, 0, 0) == "fork 0-0, rendezvous 0-17, join 17-17");
  CHECK(host_text(result, 0, 1) ==
        "host_work 0-10, rendezvous 10-12, host_work 12-15, notify 15-15");
}

// System: as above with 9 ns of work before the notify: at 17 it has not come, and main blocks
// again until 21 and wakes up at 26.
TEST_CASE("engine: the COMPUTE side pays the wake time each time it blocks") {
  Overlap overlap({.rendezvous_ns = 2, .wake_ns = 5});
  overlap.main.rendezvous(Role::compute);
  overlap.forked.host_work(10);
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.host_work(9);
  overlap.forked.notify(Role::comm);
  CHECK(host_text(overlap.finish(), 0, 0) == "fork 0-0, rendezvous 0-26, join 26-26");
}

TEST_CASE(
    "engine: a notify without a COMM rendezvous before it, or of the COMPUTE role, is nothing") {
  Overlap overlap;
  overlap.forked.notify(Role::comm);  // before the barrier
  overlap.forked.rendezvous(Role::comm);
  overlap.forked.notify(Role::compute);
  overlap.forked.host_work(4);
  overlap.forked.notify(Role::comm);
  overlap.main.rendezvous(Role::compute);
  CHECK(host_text(overlap.finish(), 0, 0) == "fork 0-0, rendezvous 0-4, join 4-4");
}

// System: wake 3. main waits at the barrier; the forked thread departs at 6.
TEST_CASE("engine: who departs lets the other one go, now and from then on") {
  Overlap overlap({.wake_ns = 3});
  overlap.main.rendezvous(Role::compute);
  overlap.main.rendezvous(Role::comm);
  overlap.forked.host_work(6);
  overlap.forked.depart();
  overlap.forked.host_work(1);
  CHECK(host_text(overlap.finish(), 0, 0) == "fork 0-0, rendezvous 0-9, rendezvous 9-9, join 9-9");
}

TEST_CASE("engine: two COMM sides both go on; outside an overlap a rendezvous is nothing") {
  Overlap overlap;
  overlap.main.rendezvous(Role::comm);
  overlap.forked.host_work(2);
  overlap.forked.rendezvous(Role::comm);
  overlap.main.join(overlap.forked);
  overlap.main.rendezvous(Role::compute);
  CHECK(host_text(engine_result(overlap.program), 0, 0) ==
        "fork 0-0, rendezvous 0-2, join 2-2, rendezvous 2-2");
}

// System: departing in one overlap says nothing about the next.
TEST_CASE("engine: a fork begins afresh") {
  Overlap overlap;
  overlap.forked.depart();
  overlap.main.join(overlap.forked);
  ThreadWriter second = overlap.main.fork();
  overlap.main.rendezvous(Role::comm);
  second.host_work(7);
  second.rendezvous(Role::comm);
  overlap.main.join(second);
  CHECK(host_text(engine_result(overlap.program), 0, 0) ==
        "fork 0-0, join 0-0, fork 0-0, rendezvous 0-7, join 7-7");
}

}  // namespace
}  // namespace steptwin
