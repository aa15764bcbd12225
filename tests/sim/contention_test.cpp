#include <doctest/doctest.h>
#include <vector>

#include "reports/metrics.h"
#include "tests/scenarios.h"
#include "tests/sim/program_writer.h"

// Closed forms of contention: systems small enough to be worked out by hand.
namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

Program ranks_on_one_node(std::int32_t ranks) {
  Program program = empty_program(ranks, {"compute", "comm", "comm2", "comm3"});
  program.contention.node.assign(static_cast<std::size_t>(ranks), 0);
  program.contention.host.assign(static_cast<std::size_t>(ranks), 0);
  return program;
}

std::vector<TimeNs> ends_of(const Program& program) {
  std::vector<TimeNs> ends;
  for (const TraceKernel& kernel : trace_of(program).kernels) ends.push_back(kernel.times.end_ns);
  return ends;
}
using Ends = std::vector<TimeNs>;

std::int64_t share_of(double part) {
  return static_cast<std::int64_t>(part * kWholeRate);
}

// A collective of the rank alone that arrives at `from`, at the earliest.
void occupy_comm(Program& program, TimeNs from, TimeNs duration_ns) {
  const std::int32_t alone = add_communicator(program, {0});
  ThreadWriter main(program, 0, 0);
  main.copy(kComm, from);
  main.collective(kComm, alone, KernelKind::all_to_all, duration_ns);
}

// System: compute of 100 from 0, a collective of 60 beside it from 20; compute_loss = 0.2,
// comm_loss = 0.5.
//
//   compute |--20--|------- 80 at 0.8 -------|
//   comm           |=== at 0.5: 50 of 60 ====|10|
//           0      20                        120 130
//
// Expectations: compute has 80 left at 20 and takes 80 / 0.8 = 100 for them. Until 120 the
// collective has done 50, and the last 10 it does alone.
TEST_CASE("compute and communication that overlap partly slow each other down") {
  Program program = ranks_on_one_node(1);
  program.contention.compute_loss = share_of(0.2);
  program.contention.comm_loss = share_of(0.5);
  ThreadWriter(program, 0, 0).compute(kCompute, 100);
  occupy_comm(program, 20, 60);
  CHECK(ends_of(program) == Ends{120, 20, 130});
}

// System: compute of 100 beside a receive that is posted at 0 and transfers over [50,70], without
// loss of its own; compute_loss = 0.5.
// Expectations: occupied over [0,70] it does 35 by then, and ends at 70 + 65. Occupied over [50,70]
// only it does 50 + 10 by then, and ends at 70 + 40.
TEST_CASE("while_waiting says whether a receive that waits for its peer costs compute") {
  for (const bool while_waiting : {true, false}) {
    Program program = ranks_on_one_node(2);
    program.contention.compute_loss = share_of(0.5);
    program.contention.while_waiting = while_waiting;
    const std::int32_t pair = add_communicator(program, {0, 1});
    ThreadWriter main(program, 0, 0);
    main.compute(kCompute, 100);
    main.recv(kComm, pair, 1, 20);
    ThreadWriter sender(program, 1, 0);
    sender.copy(kComm, 50);
    sender.send(kComm, pair, 0, 20);
    CHECK(ends_of(program) == Ends{while_waiting ? 135 : 110, 70, 50, 70});
  }
}

// System: a transfer of 60 from rank 0 to rank 1 from 0 on; comm_loss = 0.5. Rank 0 computes over
// [0,20], rank 1 over [10,40].
// Expectations: at half rate until 40, which is 20 of it; the other 40 alone: 80.
TEST_CASE("a transfer loses while compute runs at either end, once for both") {
  Program program = ranks_on_one_node(2);
  program.contention.comm_loss = share_of(0.5);
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter sender(program, 0, 0);
  sender.compute(kCompute, 20);
  sender.send(kComm, pair, 1, 60);
  ThreadWriter receiver(program, 1, 0);
  receiver.copy(kCompute, 10);
  receiver.compute(kCompute, 30);
  receiver.recv(kComm, pair, 0, 60);
  CHECK(ends_of(program) == Ends{20, 80, 10, 40, 80});
}

// Rank 0 sends to ranks 1, 2 and 3, each on a stream of its own, from starts[i] on, in 30.
Program three_from_one(const std::vector<TimeNs>& starts, bool from_one) {
  Program program = ranks_on_one_node(4);
  program.contention.share_ports = true;
  for (std::int32_t other = 1; other <= 3; ++other) {
    const std::int32_t pair = add_communicator(program, {0, other});
    ThreadWriter one(program, 0, 0);
    ThreadWriter far(program, other, 0);
    one.copy(other, starts[static_cast<std::size_t>(other - 1)]);
    if (from_one) {
      one.send(other, pair, other, 30);
      far.recv(kComm, pair, 0, 30);
    } else {
      one.recv(other, pair, other, 30);
      far.send(kComm, pair, 0, 30);
    }
  }
  return program;
}

// Expectations: three at a third each.
TEST_CASE("three transfers on one port share it equally") {
  for (const bool from_one : {true, false}) {
    const Ends ends = ends_of(three_from_one({0, 0, 0}, from_one));
    CHECK(ends == Ends{0, 90, 90, 0, 90, 90, 0, 90, 90});
  }
}

// System: the same from 0, 10 and 20 on. What is left of each:
//
//   at      0    10   20   65   85   90
//   first   30   20   15   0
//   second       30   25   10   0
//   third             30   15   5    0
//   share   1    1/2  1/3  1/2  1
TEST_CASE("three transfers that begin one after the other") {
  for (const bool from_one : {true, false}) {
    const Ends ends = ends_of(three_from_one({0, 10, 20}, from_one));
    CHECK(ends == Ends{0, 65, 65, 10, 85, 85, 20, 90, 90});
  }
}

// System: 0 to 1 and 1 to 0, 30 each, at once; then 0 to 1 and 2 to 1 beside 2 to 3.
// Expectations: in and out apart, 30 for both. Of the others, two share the in port of 1 and two
// the out port of 2: all at half rate.
TEST_CASE("in and out ports are apart, and the fuller of a transfer's two counts") {
  const auto end_of = [](const std::vector<std::pair<std::int32_t, std::int32_t>>& transfers) {
    Program program = ranks_on_one_node(4);
    program.contention.share_ports = true;
    std::int32_t stream = 0;
    for (const auto& [from, to] : transfers) {
      const std::int32_t pair = add_communicator(program, {std::min(from, to), std::max(from, to)});
      ThreadWriter(program, from, 0).send(stream, pair, to, 30);
      ThreadWriter(program, to, 0).recv(stream, pair, from, 30);
      ++stream;
    }
    return makespan_ns(trace_of(program));
  };
  CHECK(end_of({{0, 1}, {1, 0}}) == 30);
  CHECK(end_of({{0, 1}, {2, 1}, {2, 3}}) == 60);
  // 2 to 3 is alone on both of its ports.
  CHECK(end_of({{0, 1}, {2, 3}}) == 30);
}

// System: rank 0 sends to ranks 1 and 2, from 0 and from 10 on, in 10 of latency and 30 of bytes.
//
//   to 1  latency|--10--|-- 20 at 1/2 --|
//   to 2         |latency|-- 20 at 1/2 -|10|
//         0      10      20             60 70
//
// Expectations: until 20 the first is alone on the port. Were the latency on it too, the first
// would end at 10 + 2 * 30 = 70.
TEST_CASE("a transfer passes its latency without using a port") {
  Program program = ranks_on_one_node(3);
  program.contention.share_ports = true;
  program.contention.latency_ns = {10, 0};
  for (std::int32_t other = 1; other <= 2; ++other) {
    const std::int32_t pair = add_communicator(program, {0, other});
    ThreadWriter one(program, 0, 0);
    one.copy(other, 10 * (other - 1));
    one.send(other, pair, other, 40);
    ThreadWriter(program, other, 0).recv(kComm, pair, 0, 40);
  }
  CHECK(ends_of(program) == Ends{0, 60, 60, 10, 70, 70});
}

// System: the transfers of the test before, without latency; the second over [10,..] goes to
// another node.
TEST_CASE("links within a node and across nodes have ports of their own") {
  Program program = three_from_one({0, 0, 0}, true);
  program.contention.node = {0, 1, 0, 0};
  CHECK(ends_of(program) == Ends{0, 30, 30, 0, 60, 60, 0, 60, 60});
}

// System: a collective of ranks 0 and 1 over 40 from 0 on, and a transfer of 30 from rank 0 to rank
// 2. On one node they share the out port of 0 and take 60, then the collective has 10 left: 70. If
// the members are on different nodes, so is their link, and neither slows the other down.
TEST_CASE("a collective is one flow on both ports of each member") {
  for (const bool across : {false, true}) {
    Program program = ranks_on_one_node(3);
    program.contention.share_ports = true;
    if (across) program.contention.node = {0, 1, 0};
    const std::int32_t both = add_communicator(program, {0, 1});
    const std::int32_t pair = add_communicator(program, {0, 2});
    for (const std::int32_t rank : {0, 1}) {
      ThreadWriter(program, rank, 0).collective(kComm, both, KernelKind::all_reduce, 40);
    }
    ThreadWriter(program, 0, 0).send(2, pair, 2, 30);
    ThreadWriter(program, 2, 0).recv(kComm, pair, 0, 30);
    CHECK(ends_of(program) == (across ? Ends{40, 40, 30, 30} : Ends{70, 70, 60, 60}));
  }
}

// System: three ranks of one host with two cores compute 20, 40 and 60 from 0 on.
//
//   at      0    30   50   70
//   first   20   0
//   second  40   20   0
//   third   60   40   20   0
//   share   2/3  1    1
TEST_CASE("three ranks on two cores run at two thirds each") {
  Program program = ranks_on_one_node(3);
  program.contention.host_cores = 2;
  for (const std::int32_t rank : {0, 1, 2}) {
    ThreadWriter(program, rank, 0).compute(kCompute, 20 * (rank + 1));
  }
  CHECK(ends_of(program) == Ends{30, 50, 70});
  program.contention.host = {0, 0, 1};
  CHECK(ends_of(program) == Ends{20, 40, 60});
  // A rank that stands for four devices is four that compute: at half rate alone.
  program.contention.host = {0, 1, 2};
  program.contention.devices = 4;
  CHECK(ends_of(program) == Ends{40, 80, 120});
}

// System: four ranks on one core, with a collective of its own beside each; compute_loss = 0.2.
// Expectations: rates multiply, 0.8 / 4: 10 takes 50, copies take what they take.
TEST_CASE("rates multiply") {
  Program program = ranks_on_one_node(4);
  program.contention.host_cores = 1;
  program.contention.compute_loss = share_of(0.2);
  for (const std::int32_t rank : {0, 1, 2, 3}) {
    const std::int32_t alone = add_communicator(program, {rank});
    ThreadWriter main(program, rank, 0);
    main.compute(kCompute, 10);
    main.collective(kComm, alone, KernelKind::all_gather, 90);
    main.copy(2, 60);
  }
  CHECK(ends_of(program) == Ends{50, 90, 60, 50, 90, 60, 50, 90, 60, 50, 90, 60});
}

// Durations whose shares no binary fraction tells exactly.
TEST_CASE("thirds, tenths and large numbers come out to the nanosecond") {
  Program thirds = three_from_one({0, 0, 0}, true);
  for (P2pPart& part : thirds.p2p_parts) part.transfer_ns = 1'000'000'000'001;
  CHECK(makespan_ns(trace_of(thirds)) == 3'000'000'000'003);
  for (const TimeNs duration_ns : {TimeNs{7}, TimeNs{700'000'000'000'000}}) {
    Program tenths = ranks_on_one_node(1);
    tenths.contention.compute_loss = 300'000'000;
    ThreadWriter(tenths, 0, 0).compute(kCompute, duration_ns);
    occupy_comm(tenths, 0, 2 * duration_ns);
    CHECK(ends_of(tenths)[0] == duration_ns / 7 * 10);
  }
}

TEST_CASE("an end between two nanoseconds comes at the second") {
  Program program = ranks_on_one_node(1);
  program.contention.compute_loss = 300'000'000;
  ThreadWriter(program, 0, 0).compute(kCompute, 10);  // 10 / 0.7 = 14.28...
  occupy_comm(program, 0, 100);
  CHECK(ends_of(program)[0] == 15);
}

// System: compute of 100 alone, then 100 under a collective; compute_loss = 0.2.
// Expectations: 125 for 100.
TEST_CASE("compute_dilation is what communication costs the compute under it") {
  Program program = ranks_on_one_node(1);
  program.contention.compute_loss = share_of(0.2);
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 100);
  main.compute(kCompute, 100);
  occupy_comm(program, 100, 300);
  const reports::Metrics metrics = reports::compute_metrics(trace_of(program));
  CHECK(metrics.compute_dilation == 1.25);
  CHECK(metrics.ranks[0].times.overlapped_ns == 125);
}

// System: an eager send of 30 to a rank that is busy, beside a transfer to another one.
// Expectations: they share the out port, and the receiver finds its bytes there at 60.
TEST_CASE("an eager transfer is on the ports of both ranks whoever has arrived") {
  Program program = ranks_on_one_node(3);
  program.contention.share_ports = true;
  program.eager_bytes = 8;
  const std::int32_t first = add_communicator(program, {0, 1});
  const std::int32_t second = add_communicator(program, {0, 2});
  ThreadWriter sender(program, 0, 0);
  sender.send(1, first, 1, 30, 8);
  sender.send(2, second, 2, 30, 9);
  ThreadWriter busy(program, 1, 0);
  busy.copy(kComm, 40);
  busy.recv(kComm, first, 0, 30, 8);
  ThreadWriter(program, 2, 0).recv(kComm, second, 0, 30, 9);
  const Trace trace = trace_of(program);
  CHECK((trace.kernels[0].times == KernelTimes{0, 0, 0, 60}));
  CHECK((trace.kernels[1].times == KernelTimes{0, 0, 0, 60}));
  CHECK((trace.kernels[3].times == KernelTimes{0, 40, 40, 60}));
}

}  // namespace
}  // namespace steptwin
