#include "sim/streams.h"

#include <doctest/doctest.h>

#include "tests/sim/engine_result.h"
#include "tests/sim/program_writer.h"

// Streams of the engine, by the clock. Times: enqueue ready start end.
namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

// System: k0 10 on compute; comm waits for it, k1 2; compute waits for k1, k2 3; k3 4 behind.
//   compute |----k0----|....|-k2-|--k3--|
//   comm    ............|k1|
//           0          10  12   15     19
TEST_CASE("engine: a wait holds back what is behind it, on its stream only") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  main.compute(kCompute, 10);
  main.wait(kComm, main.record(kCompute));
  main.copy(kComm, 2);
  main.wait(kCompute, main.record(kComm));
  main.compute(kCompute, 3);
  main.compute(kCompute, 4);
  const NaiveResult result = engine_result(program);
  CHECK(times_text(result, 0) == "0 0 0 10");
  CHECK(times_text(result, 1) == "0 10 10 12");
  CHECK(times_text(result, 2) == "0 12 12 15");
  CHECK(times_text(result, 3) == "0 15 15 19");
}

// System: rank 0 sends at 0 and at 2; rank 1 receives both, but computes on the same stream to 9.
//   rank 0 comm |..........|=k0=|=k1=|
//   rank 1 comm |---k2 9---|=k3=|=k4=|
//               0          9   13   17
TEST_CASE("engine: a kernel that waits for its peer keeps its stream") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  main.send(kComm, pair, 1, 4);
  main.host_work(2);
  main.send(kComm, pair, 1, 4);
  ThreadWriter other(program, 1, 0);
  other.copy(kComm, 9);
  other.recv(kComm, pair, 0, 4);
  other.recv(kComm, pair, 0, 4);
  const NaiveResult result = engine_result(program);
  CHECK(times_text(result, 0) == "0 0 9 13");
  CHECK(times_text(result, 1) == "2 13 13 17");
  CHECK(times_text(result, 3) == "0 9 9 13");
  CHECK(times_text(result, 4) == "0 13 13 17");
}

// System: one kernel of rank 0 sends to 1 (4 ns) and receives from 2 (6 ns); 1 comes at 3, 2 at 5.
//   rank 0 |...|=to 1=|==...from 2==|
//          0   3   5  7             11
TEST_CASE("engine: parts transfer on their own, the kernel lasts until its last") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter(program, 0, 0)
      .p2p(kComm, all,
           {{.is_send = true, .peer = 1, .transfer_ns = 4},
            {.is_send = false, .peer = 2, .transfer_ns = 6}});
  ThreadWriter first(program, 1, 0);
  first.host_work(3);
  first.recv(kComm, all, 0, 4);
  ThreadWriter second(program, 2, 0);
  second.host_work(5);
  second.send(kComm, all, 0, 6);
  const NaiveResult result = engine_result(program);
  CHECK(times_text(result, 0) == "0 0 3 11");
  CHECK(times_text(result, 1) == "3 3 3 7");
  CHECK(times_text(result, 2) == "5 5 5 11");
}

// System: the two calls of three members; the last member of the first call arrives at 4, of the
// second, rank 0 on its compute stream, at 20.
TEST_CASE("engine: collectives match by position and start with their last member") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  for (const std::int32_t rank : {0, 1, 2}) {
    ThreadWriter main(program, rank, 0);
    main.host_work(2 * rank);
    main.collective(kComm, all, KernelKind::all_to_all, 3);
    if (rank == 0) {
      main.compute(kCompute, 20);
      main.wait(kComm, main.record(kCompute));
    }
    main.collective(kComm, all, KernelKind::all_gather, 5);
  }
  const NaiveResult result = engine_result(program);
  CHECK(times_text(result, 0) == "0 0 4 7");
  CHECK(times_text(result, 3) == "2 2 4 7");
  CHECK(times_text(result, 5) == "4 4 4 7");
  CHECK(times_text(result, 2) == "0 20 20 25");
  CHECK(times_text(result, 4) == "2 7 20 25");
  CHECK(times_text(result, 6) == "4 7 20 25");
}

// System: kernels of no duration, ten deep, then one of 1 ns: all in one instant.
TEST_CASE("engine: kernels of no duration follow one another within an instant") {
  Program program = empty_program(1, {"compute", "comm"});
  ThreadWriter main(program, 0, 0);
  for (int step = 0; step < 10; ++step) {
    main.compute(kCompute, 0);
    main.wait(kComm, main.record(kCompute));
    main.copy(kComm, 0);
    main.wait(kCompute, main.record(kComm));
  }
  main.compute(kCompute, 1);
  CHECK(times_text(engine_result(program), 20) == "0 0 0 1");
}

// System: a communicator of one rank: nobody to wait for.
TEST_CASE("engine: a collective of one member is a kernel of its duration") {
  Program program = empty_program(1, {"compute", "comm"});
  const std::int32_t own = add_communicator(program, {0});
  ThreadWriter main(program, 0, 0);
  main.host_work(2);
  main.collective(kComm, own, KernelKind::all_to_all, 3);
  CHECK(times_text(engine_result(program), 0) == "2 2 2 5");
}

}  // namespace
}  // namespace steptwin
