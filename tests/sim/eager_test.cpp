#include <doctest/doctest.h>
#include <string>

#include "sim/simulate.h"
#include "tests/scenarios.h"
#include "tests/sim/naive_simulator.h"
#include "tests/sim/program_writer.h"

namespace steptwin::sim {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

// Rank 0 computes for 3 and then sends 8 bytes in 5; rank 1 computes for `late` and then receives.
Program one_transfer(TimeNs late, Bytes eager_bytes) {
  Program program = empty_program(2, {"compute", "comm"});
  program.eager_bytes = eager_bytes;
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter sender(program, 0, 0);
  sender.compute(kCompute, 3);
  sender.wait(kComm, sender.record(kCompute));
  sender.send(kComm, pair, 1, 5, 8);
  ThreadWriter receiver(program, 1, 0);
  receiver.compute(kCompute, late);
  receiver.wait(kComm, receiver.record(kCompute));
  receiver.recv(kComm, pair, 0, 5, 8);
  return program;
}

KernelTimes send_of(const Program& program) {
  return trace_of(program).kernels[1].times;
}
KernelTimes receive_of(const Program& program) {
  return trace_of(program).kernels[3].times;
}

TEST_CASE("an eager send ends without its receiver") {
  // System: the receiver comes at 20.
  // Expectations: the send takes [3,8], the receive is over at once.
  CHECK((send_of(one_transfer(20, 8)) == KernelTimes{0, 3, 3, 8}));
  CHECK((receive_of(one_transfer(20, 8)) == KernelTimes{0, 20, 20, 20}));
  // One byte too many: both take [20,25].
  CHECK((send_of(one_transfer(20, 7)) == KernelTimes{0, 3, 20, 25}));
  CHECK((receive_of(one_transfer(20, 7)) == KernelTimes{0, 20, 20, 25}));
}

TEST_CASE("the receiver of an eager send waits for the bytes that are still under way") {
  // System: the receiver comes at 6, or was there before the sender.
  CHECK((receive_of(one_transfer(6, 8)) == KernelTimes{0, 6, 6, 8}));
  CHECK((receive_of(one_transfer(1, 8)) == KernelTimes{0, 1, 3, 8}));
  CHECK((send_of(one_transfer(1, 8)) == KernelTimes{0, 3, 3, 8}));
}

TEST_CASE("nothing is eager where eager_bytes is 0, not even nothing") {
  Program program = one_transfer(20, 0);
  for (P2pPart& part : program.p2p_parts) part.bytes = 0;
  CHECK((send_of(program) == KernelTimes{0, 3, 20, 25}));
  program.eager_bytes = 1;
  CHECK((send_of(program) == KernelTimes{0, 3, 3, 8}));
}

TEST_CASE("an eager send that nobody receives ends all the same") {
  Program program = empty_program(2, {"compute", "comm"});
  program.eager_bytes = 8;
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).send(kComm, pair, 1, 5, 8);
  CHECK((trace_of(program).kernels[0].times == KernelTimes{0, 0, 0, 5}));
}

// System: rank 0 sends 1, 100 and 2 bytes, 10 ns each, with 8 bytes eager; rank 1 receives them
// from 50 on. Expectations: the first is over before anybody receives it, the second waits for its
// receive, the third goes out at 60 and its receive ends with it.
TEST_CASE("eager and other sends of one pair are received in their order") {
  Program program = empty_program(2, {"compute", "comm"});
  program.eager_bytes = 8;
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter sender(program, 0, 0);
  for (const Bytes bytes : {1, 100, 2}) sender.send(kComm, pair, 1, 10, bytes);
  ThreadWriter receiver(program, 1, 0);
  receiver.compute(kCompute, 50);
  receiver.wait(kComm, receiver.record(kCompute));
  for (const Bytes bytes : {1, 100, 2}) receiver.recv(kComm, pair, 0, 10, bytes);
  const Trace trace = trace_of(program);
  CHECK((trace.kernels[0].times == KernelTimes{0, 0, 0, 10}));
  CHECK((trace.kernels[1].times == KernelTimes{0, 10, 50, 60}));
  CHECK((trace.kernels[2].times == KernelTimes{0, 60, 60, 70}));
  CHECK((trace.kernels[4].times == KernelTimes{0, 50, 50, 50}));
  CHECK((trace.kernels[5].times == KernelTimes{0, 50, 50, 60}));
  CHECK((trace.kernels[6].times == KernelTimes{0, 60, 60, 70}));
}

TEST_CASE("two sends against each other hang, unless they are eager") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  for (const std::int32_t rank : {0, 1}) {
    ThreadWriter main(program, rank, 0);
    main.send(0, pair, 1 - rank, 5, 8);
    main.recv(0, pair, 1 - rank, 5, 8);
  }
  CHECK(std::holds_alternative<Deadlock>(simulate(program)));
  program.eager_bytes = 8;
  CHECK(makespan_ns(trace_of(program)) == 5);
}

// System: rank 0 sends and receives in one kernel; rank 1 does neither.
TEST_CASE("a deadlock does not say that an eager send waits") {
  Program program = empty_program(2, {"comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0)
      .p2p(0, pair,
           {{.is_send = true, .peer = 1, .bytes = 8, .transfer_ns = 5},
            {.is_send = true, .peer = 1, .bytes = 9, .transfer_ns = 5},
            {.is_send = false, .peer = 1, .bytes = 8, .transfer_ns = 5}});
  const auto text_with = [&](Bytes eager_bytes) {
    program.eager_bytes = eager_bytes;
    return std::get<Deadlock>(simulate(program)).blocked[0].text;
  };
  const std::string subject =
      "rank 0 stream comm stops at FWD_SEND(s0,m0) to rank 1, to rank 1, from rank 1, waiting for ";
  const std::string receive = "a receive from rank 0 that rank 1 never launches";
  const std::string send = "a send to rank 0 that rank 1 never launches";
  CHECK(text_with(0) == subject + receive + ", and for 1 more");
  CHECK(text_with(8) == subject + receive + ", and for 1 more");
  CHECK(text_with(9) == subject + send);
}

// System: at 20, in round 0, rank 1's compute ends and its receive of what has long arrived is
// ready.
//   round 1 (a) the receive ends  (b) main begins to wait for all of comm  (c) the copy is ready
//   round 2 (a) the copy ends
// Expectations: main blocks, and its next kernel is enqueued wake_ns later. Were the receive over
// in the round of its arrival, the copy would be over when main asks.
TEST_CASE("a late receive ends in the round after the one it arrives in") {
  Program program = empty_program(2, {"compute", "comm"});
  program.eager_bytes = 8;
  program.host.wake_ns = 100;
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).send(kComm, pair, 1, 5, 8);
  ThreadWriter main(program, 1, 0);
  main.compute(kCompute, 20);
  main.wait(kComm, main.record(kCompute));
  main.recv(kComm, pair, 0, 5, 8);
  main.copy(kComm, 0);
  const std::int32_t all = main.record(kComm);
  main.host_work(20);
  main.host_wait(all);
  const std::int32_t last = main.compute(kCompute, 1);
  CHECK(trace_of(program).kernels[static_cast<std::size_t>(last)].times.enqueue_ns == 120);
  CHECK(naive_simulate(program).times[static_cast<std::size_t>(last)].enqueue_ns == 120);
}

TEST_CASE("what an eager send carries must be what is received, however late") {
  Program program = one_transfer(20, 8);
  program.p2p_parts[1].bytes = 7;
  CHECK_THROWS_WITH_AS(
      simulate(program),
      "error: a send and its receive differ: kernel 3 of rank 1, p2p of FWD_RECV(s1,m3) has 7 "
      "bytes in 5 "
      "ns, kernel 1 of rank 0, p2p of FWD_SEND(s0,m1) has 8 bytes in 5 ns; expected the same bytes "
      "and transfer time at both ends",
      Error);
}

}  // namespace
}  // namespace steptwin::sim
