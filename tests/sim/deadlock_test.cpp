#include "sim/deadlock.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "model/validate.h"
#include "sim/simulate.h"
#include "tests/sim/program_writer.h"

// What a person reads when nothing can happen any more.
namespace steptwin::sim {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

Deadlock deadlock_of(const Program& program) {
  validate(program);
  const auto outcome = simulate(program);
  REQUIRE(std::holds_alternative<Deadlock>(outcome));
  return std::get<Deadlock>(outcome);
}

std::vector<std::string> texts(const Deadlock& deadlock) {
  std::vector<std::string> all;
  for (const BlockedItem& item : deadlock.blocked) all.push_back(item.text);
  return all;
}

using Texts = std::vector<std::string>;
using Cycle = std::vector<std::int32_t>;

// System: two ranks send to each other, then receive, each on one stream.
//   rank 0 comm  |FWD_SEND(s0,m0)|FWD_RECV(s0,m1)
//   rank 1 comm  |FWD_SEND(s1,m2)|FWD_RECV(s1,m3)
struct TwoSends {
  explicit TwoSends(bool exchanged) {
    const std::int32_t pair = add_communicator(program, {0, 1});
    ThreadWriter main(program, 0, 0);
    if (exchanged) main.recv(kComm, pair, 1, 2);
    main.send(kComm, pair, 1, 2);
    if (!exchanged) main.recv(kComm, pair, 1, 2);
    ThreadWriter other(program, 1, 0);
    other.compute(kCompute, 6);
    other.send(kComm, pair, 0, 2);
    other.recv(kComm, pair, 0, 2);
  }

  Program program = empty_program(2, {"compute", "comm"});
};

TEST_CASE("deadlock: two sends against each other") {
  const Deadlock deadlock = deadlock_of(TwoSends(false).program);
  CHECK(texts(deadlock) ==
        Texts{"rank 0 stream comm stops at FWD_SEND(s0,m0) to rank 1, waiting for FWD_RECV(s1,m4) "
              "from rank 0, which is queued behind FWD_SEND(s1,m3) to rank 0 on stream comm of "
              "rank 1",
              "rank 1 stream comm stops at FWD_SEND(s1,m3) to rank 0, waiting for FWD_RECV(s0,m1) "
              "from rank 1, which is queued behind FWD_SEND(s0,m0) to rank 1 on stream comm of "
              "rank 0"});
  CHECK(deadlock.cycle == Cycle{0, 1});
  CHECK(deadlock.awaited == std::vector<std::int64_t>{4, 1});
  CHECK(deadlock.cycle_text ==
        "rank 0 stream comm stops at FWD_SEND(s0,m0) to rank 1 and waits for FWD_RECV(s1,m4) from "
        "rank 0, which is queued behind FWD_SEND(s1,m3) to rank 0 on stream comm of rank 1; "
        "rank 1 stream comm stops at FWD_SEND(s1,m3) to rank 0 and waits for FWD_RECV(s0,m1) from "
        "rank 1, which is queued behind FWD_SEND(s0,m0) to rank 1 on stream comm of rank 0; "
        "so none of them can go on.");
  CHECK(deadlock.at_ns == 6);  // the compute that still ended
  CHECK(deadlock.blocked[0].kernel == 0);
  CHECK(deadlock.blocked[0].command == -1);
  CHECK(std::holds_alternative<Trace>(simulate(TwoSends(true).program)));
}

// System: ranks 0, 1, 2 send on, then receive, in a ring; rank 3 waits for rank 2 besides.
TEST_CASE("deadlock: three ranks in a ring; who waits for the ring is named, but not part of it") {
  Program program = empty_program(4, {"compute", "comm", "side"});
  const std::int32_t ring = add_communicator(program, {0, 1, 2});
  const std::int32_t side = add_communicator(program, {2, 3});
  for (const std::int32_t rank : {0, 1, 2}) {
    ThreadWriter main(program, rank, 0);
    main.send(kComm, ring, (rank + 1) % 3, 2);
    main.recv(kComm, ring, (rank + 2) % 3, 2);
    if (rank == 2) main.host_wait(main.record(kComm));
    if (rank == 2) main.send(2, side, 3, 2);
  }
  ThreadWriter(program, 3, 0).recv(kComm, side, 2, 2);
  const Deadlock deadlock = deadlock_of(program);
  REQUIRE(deadlock.blocked.size() == 5);
  CHECK(deadlock.blocked[2].text ==
        "rank 2 thread main hangs in host_wait, waiting for FWD_RECV(s2,m5) from rank 1 on stream "
        "comm of rank 2");
  CHECK(deadlock.blocked[2].command == 3);
  CHECK(deadlock.blocked[4].text ==
        "rank 3 stream comm stops at FWD_RECV(s3,m7) from rank 2, waiting for FWD_SEND(s2,m6) to "
        "rank 3, which thread main of rank 2 has not launched");
  CHECK(deadlock.cycle == Cycle{0, 1, 3});
  CHECK(deadlock.cycle_text ==
        "rank 0 stream comm stops at FWD_SEND(s0,m0) to rank 1 and waits for FWD_RECV(s1,m3) from "
        "rank 0, which is queued behind FWD_SEND(s1,m2) to rank 2 on stream comm of rank 1; "
        "rank 1 stream comm stops at FWD_SEND(s1,m2) to rank 2 and waits for FWD_RECV(s2,m5) from "
        "rank 1, which is queued behind FWD_SEND(s2,m4) to rank 0 on stream comm of rank 2; "
        "rank 2 stream comm stops at FWD_SEND(s2,m4) to rank 0 and waits for FWD_RECV(s0,m1) from "
        "rank 2, which is queued behind FWD_SEND(s0,m0) to rank 1 on stream comm of rank 0; "
        "so none of them can go on.");
}

// System: a ring of three on ranks 0 to 2, two sends head to head on ranks 3 and 4.
TEST_CASE("deadlock: of several circles the shortest is told") {
  Program program = empty_program(5, {"compute", "comm"});
  const std::int32_t ring = add_communicator(program, {0, 1, 2});
  const std::int32_t pair = add_communicator(program, {3, 4});
  for (const std::int32_t rank : {0, 1, 2}) {
    ThreadWriter main(program, rank, 0);
    main.send(kComm, ring, (rank + 1) % 3, 2);
    main.recv(kComm, ring, (rank + 2) % 3, 2);
  }
  for (const std::int32_t rank : {3, 4}) {
    ThreadWriter main(program, rank, 0);
    main.send(kComm, pair, 7 - rank, 2);
    main.recv(kComm, pair, 7 - rank, 2);
  }
  CHECK(deadlock_of(program).cycle == Cycle{3, 4});
  CHECK(deadlock_of(program).first == 3);
}

// System: three members, the third works and ends.
TEST_CASE("deadlock: a collective that a member never calls") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  for (const std::int32_t rank : {0, 1}) {
    ThreadWriter(program, rank, 0).collective(kComm, all, KernelKind::all_to_all, 4);
  }
  ThreadWriter(program, 2, 0).compute(kCompute, 9);
  const Deadlock deadlock = deadlock_of(program);
  CHECK(texts(deadlock) ==
        Texts{"rank 0 stream comm stops at dispatch of FWD(s0,m0), waiting for a collective on "
              "communicator c0 that rank 2 never launches",
              "rank 1 stream comm stops at dispatch of FWD(s1,m1), waiting for a collective on "
              "communicator c0 that rank 2 never launches"});
  CHECK(deadlock.cycle.empty());
  CHECK(deadlock.cycle_text == "");
  CHECK(deadlock.at_ns == 9);
}

TEST_CASE("deadlock: a collective two members have not called names one and counts the rest") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter(program, 0, 0).collective(kComm, all, KernelKind::all_to_all, 4);
  CHECK(texts(deadlock_of(program)) ==
        Texts{"rank 0 stream comm stops at dispatch of FWD(s0,m0), waiting for a collective on "
              "communicator c0 that rank 1 never launches, and for 1 more"});
}

// System: the host waits for a receive that nobody sends to.
TEST_CASE("deadlock: host_wait on an event that is never complete") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  main.recv(kComm, pair, 1, 3);
  main.host_wait(main.record(kComm));
  main.compute(kCompute, 1);
  const Deadlock deadlock = deadlock_of(program);
  CHECK(texts(deadlock) ==
        Texts{"rank 0 thread main hangs in host_wait, waiting for FWD_RECV(s0,m0) from rank 1 on "
              "stream comm of rank 0",
              "rank 0 stream comm stops at FWD_RECV(s0,m0) from rank 1, waiting for a send to rank "
              "0 that rank 1 never launches"});
  CHECK(deadlock.cycle.empty());
  CHECK(deadlock.first == 1);  // the thread waits for the stream, the stream for nobody
}

TEST_CASE("deadlock: host_wait on an event that the same thread records later") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  const std::int32_t event = main.new_event();
  main.host_wait(event);
  main.record_event(event, kCompute);
  const Deadlock deadlock = deadlock_of(program);
  CHECK(deadlock.cycle == Cycle{0});
  CHECK(deadlock.cycle_text ==
        "rank 0 thread main hangs in host_wait and waits for an event that thread main of rank 0 "
        "has not recorded: it waits for itself.");
}

// System: comm waits for an event that covers the copy queued behind the wait.
TEST_CASE("deadlock: a stream that waits for what is behind it") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  const std::int32_t event = main.new_event();
  main.wait(kComm, event);
  main.copy(kComm, 2);
  main.record_event(event, kComm);
  const Deadlock deadlock = deadlock_of(program);
  CHECK(deadlock.cycle == Cycle{0});
  CHECK(deadlock.cycle_text ==
        "rank 0 stream comm stops before offload of FWD(s0,m0) and waits for offload of FWD(s0,m0) "
        "on stream comm of rank 0: it waits for itself.");
  CHECK(deadlock.blocked[0].kernel == -1);
}

// System: both hosts wait for what they receive before they launch what the other one receives.
//   rank 0 main  launch recv, host_wait, launch send
//   rank 1 main  the same
TEST_CASE("deadlock: two hosts that wait for each other, through their streams") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  for (const std::int32_t rank : {0, 1}) {
    ThreadWriter main(program, rank, 0);
    main.recv(kComm, pair, 1 - rank, 3);
    main.host_wait(main.record(kComm));
    main.send(kComm, pair, 1 - rank, 3);
  }
  const Deadlock deadlock = deadlock_of(program);
  CHECK(deadlock.cycle == Cycle{0, 1, 2, 3});
  CHECK(deadlock.awaited == std::vector<std::int64_t>{0, 3, 2, 1});
  CHECK(deadlock.cycle_text ==
        "rank 0 thread main hangs in host_wait and waits for FWD_RECV(s0,m0) from rank 1 on stream "
        "comm of rank 0; "
        "rank 0 stream comm stops at FWD_RECV(s0,m0) from rank 1 and waits for FWD_SEND(s1,m3) to "
        "rank 0, which thread main of rank 1 has not launched; "
        "rank 1 thread main hangs in host_wait and waits for FWD_RECV(s1,m2) from rank 0 on stream "
        "comm of rank 1; "
        "rank 1 stream comm stops at FWD_RECV(s1,m2) from rank 0 and waits for FWD_SEND(s0,m1) to "
        "rank 1, which thread main of rank 0 has not launched; "
        "so none of them can go on.");
}

// A rank whose main thread has forked.
struct Overlap {
  Deadlock finish() {
    main.join(forked);
    return deadlock_of(program);
  }

  Program program = empty_program(1, {"compute"});
  ThreadWriter main{program, 0, 0};
  ThreadWriter forked = main.fork();
};

TEST_CASE("deadlock: a rendezvous whose partner has ended without departing") {
  Overlap overlap;
  overlap.main.rendezvous(Role::compute);
  overlap.forked.compute(kCompute, 5);
  const Deadlock deadlock = overlap.finish();
  CHECK(texts(deadlock) ==
        Texts{"rank 0 thread main hangs in rendezvous as the COMPUTE side, waiting for thread "
              "backward.1 of FWD(s0,m0) to come to the rendezvous, but that thread has ended after "
              "0 rendezvous and did not depart; this is number 1"});
  CHECK(deadlock.first == 0);
  CHECK(deadlock.cycle.empty());
}

TEST_CASE("deadlock: a rendezvous whose partner is joined first") {
  Overlap overlap;
  overlap.forked.rendezvous(Role::comm);
  const Deadlock deadlock = overlap.finish();
  CHECK(deadlock.cycle == Cycle{0, 1});
  CHECK(
      deadlock.cycle_text ==
      "rank 0 thread main hangs in join and waits for the end of thread backward.1; "
      "rank 0 thread backward.1 hangs in rendezvous as the COMM side and waits for thread main to "
      "come to the rendezvous; so none of them can go on.");
}

TEST_CASE("deadlock: two COMPUTE sides wait for each other's notify") {
  Overlap overlap;
  overlap.main.rendezvous(Role::compute);
  overlap.main.commands().back().hook = Hook::b;
  overlap.main.commands().back().index = 1;
  overlap.forked.rendezvous(Role::compute);
  const Deadlock deadlock = overlap.finish();
  CHECK(deadlock.cycle == Cycle{0, 1});
  CHECK(
      deadlock.cycle_text ==
      "rank 0 thread main hangs in rendezvous B2 as the COMPUTE side and waits for thread "
      "backward.1 to call notify(COMM); "
      "rank 0 thread backward.1 hangs in rendezvous as the COMPUTE side and waits for thread main "
      "to call notify(COMM); so none of them can go on.");
}

TEST_CASE("deadlock: what a thread that is not forked yet would launch is asked of main") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  const std::int32_t event = main.new_event();
  main.host_wait(event);
  ThreadWriter forked = main.fork();
  forked.send(kComm, pair, 1, 2);
  main.join(forked);
  main.record_event(event, kComm);
  ThreadWriter(program, 1, 0).recv(kComm, pair, 0, 2);
  CHECK(texts(deadlock_of(program))[1] ==
        "rank 1 stream comm stops at FWD_RECV(s1,m1) from rank 0, waiting for FWD_SEND(s0,m0) to "
        "rank 1, which thread backward.1 of rank 0 has not launched");
}

TEST_CASE("deadlock: a kernel behind a wait at its stream's head is not called queued behind one") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  const std::int32_t event = main.new_event();
  main.wait(kComm, event);
  main.send(kComm, pair, 1, 2);
  main.host_wait(event);
  main.record_event(event, kCompute);
  ThreadWriter(program, 1, 0).recv(kComm, pair, 0, 2);
  const Texts all = texts(deadlock_of(program));
  REQUIRE(all.size() == 3);
  CHECK(
      all[1] ==
      "rank 0 stream comm stops before FWD_SEND(s0,m0) to rank 1, waiting for an event that thread "
      "main of rank 0 has not recorded");
  CHECK(all[2] ==
        "rank 1 stream comm stops at FWD_RECV(s1,m1) from rank 0, waiting for FWD_SEND(s0,m0) to "
        "rank 1, which stream comm of rank 0 has not come to");
}

// System: as in naive_simulator_test: the first of two parts is transferred, the other never.
TEST_CASE("deadlock: a kernel some of whose parts have transferred keeps its start") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter(program, 0, 0)
      .p2p(kComm, all,
           {{.is_send = true, .peer = 1, .transfer_ns = 3},
            {.is_send = true, .peer = 2, .transfer_ns = 3}});
  ThreadWriter(program, 1, 0).recv(kComm, all, 0, 3);
  const Deadlock deadlock = deadlock_of(program);
  CHECK((deadlock.times[0] == KernelTimes{0, 0, 0, -1}));
  CHECK((deadlock.times[1] == KernelTimes{0, 0, 0, 3}));
  CHECK(deadlock.blocked[0].text ==
        "rank 0 stream comm stops at FWD_SEND(s0,m0) to rank 1, to rank 2, waiting for a receive "
        "from rank 0 that rank 2 never launches");
}

}  // namespace
}  // namespace steptwin::sim
