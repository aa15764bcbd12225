#include "standstill/describe.h"

#include <doctest/doctest.h>

#include "sim/deadlock.h"
#include "sim/engine.h"
#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

TEST_CASE("words for kernels: transfers by their ends, others by their part") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter main(program, 0, 0);
  main.send(1, all, 1, 2);
  main.p2p(1, all, {{.is_send = false, .peer = 1}, {.is_send = true, .peer = 2}});
  main.collective(1, all, KernelKind::all_to_all, 2);
  program.kernels[2].layer = 1;
  main.compute(0, 1);
  CHECK(kernel_text(program, 0) == "FWD_SEND(s0,m0) to rank 1");
  CHECK(kernel_text(program, 1) == "FWD_RECV(s0,m1) from rank 1, to rank 2");
  program.p2p_parts[1] = {false, StepType::bwd_recv, 1, 4, 5, 0, 0};
  program.p2p_parts[2] = {true, StepType::fwd_send, 2, 6, 7, 0, 0};
  CHECK(kernel_text(program, 1) ==
        "FWD_RECV(s0,m1)[BWD_RECV(s4,m5) from rank 1|FWD_SEND(s6,m7) to rank 2]");
  CHECK(kernel_text(program, 2) == "dispatch of FWD(s0,m2) layer 2");
  CHECK(kernel_text(program, 3) == "chunk of FWD(s0,m3)");
}

// System: rank 1: comm stops at a receive, compute before k1 behind a wait for it, and copy at a
// wait that nothing stands behind; main waits for the end of copy.
struct Stopped {
  Stopped() {
    const std::int32_t pair = add_communicator(program, {0, 1});
    ThreadWriter main(program, 1, 0);
    main.recv(1, pair, 0, 2);
    const std::int32_t received = main.record(1);
    main.wait(0, received);
    main.compute(0, 1);
    main.wait(2, received);
    main.host_wait(main.record(2));
  }

  Program program = empty_program(2, {"compute", "comm", "copy"});
};

TEST_CASE("words for streams and threads: where they stop") {
  const Stopped stopped;
  const Standstill state = sim::standstill_of(sim::evaluate(stopped.program, false));
  CHECK(stream_name(stopped.program, 1, 1) == "comm");
  CHECK(stream_text(state, 1, 0) == "rank 1 stream compute stops before chunk of FWD(s1,m1)");
  CHECK(stream_text(state, 1, 1) == "rank 1 stream comm stops at FWD_RECV(s1,m0) from rank 0");
  CHECK(stream_text(state, 1, 2) == "rank 1 stream copy stops at its end");
  CHECK(thread_name(stopped.program, 1, 0) == "main");
  CHECK(thread_text(state, 1, 0) == "rank 1 thread main hangs in host_wait");
  CHECK(thread_step(state, 1, 0) == "FWD(s1,m1)");
  CHECK(thread_step(state, 0, 0) == "");
}

TEST_CASE("words for long batches: the first eight parts and how many more there are") {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  std::vector<P2pPart> parts;
  for (std::int32_t micro = 0; micro < 10; ++micro) {
    parts.push_back({true, StepType::fwd_send, 1, 0, micro, 0, 0});
  }
  ThreadWriter(program, 0, 0).p2p(1, pair, parts);
  const std::string text = kernel_text(program, 0);
  CHECK(text.find("|FWD_SEND(s0,m7) to rank 1, and 2 more]") != std::string::npos);
  CHECK(text.find("m8") == std::string::npos);
}

TEST_CASE("which ends and members have arrived") {
  Program program = empty_program(3, {"compute", "comm"});
  const std::int32_t all = add_communicator(program, {0, 1, 2});
  ThreadWriter(program, 0, 0)
      .p2p(1, all, {{.is_send = true, .peer = 1}, {.is_send = true, .peer = 2}});
  ThreadWriter(program, 1, 0).recv(1, all, 0, 0);
  const std::int32_t call = add_communicator(program, {1, 2});
  ThreadWriter(program, 1, 0).collective(1, call, KernelKind::all_reduce, 1);
  const Standstill state = sim::standstill_of(sim::evaluate(program, false));
  CHECK_FALSE(part_waits(state, program.kernels[0], program.p2p_parts[0]));
  CHECK(part_waits(state, program.kernels[0], program.p2p_parts[1]));
  CHECK(has_arrived(state, program.kernels[2], 1));
  CHECK_FALSE(has_arrived(state, program.kernels[2], 2));
}

}  // namespace
}  // namespace steptwin
