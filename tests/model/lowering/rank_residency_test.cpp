#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "tests/model/lowering/command_words.h"

// FSDP, SWAP and DATA steps: what they become, when it happens, and what memory it takes.
namespace steptwin {
namespace {

constexpr Bytes kMiB = 1 << 20;

// One stage on one rank with a peer; forward 10, backward 20 + 30 ns, 8 MiB of parameters.
Scenario sharded() {
  Scenario scenario = stage_scenario("1f1b", 1, 1, 2, 0.010, 0.020, 0.030, 0.004);
  scenario.parallel.expert = 2;
  scenario.stage.parameter_bytes = {8 * kMiB};
  return scenario;
}

const char* const kSharded =
    "rank0: FSDP_UNSHARD(s0) FWD(s0,m0) BWD(s0,m0) FWD(s0,m1) BWD(s0,m1) FSDP_REDUCE_GRAD(s0) "
    "FSDP_RESHARD(s0)";

TEST_CASE("UNSHARD gathers, the first compute waits for it; REDUCE_GRAD waits for the backward") {
  const Program program = lowered(kSharded, sharded());
  CHECK(thread_words(program, 0) ==
        "FSDP_UNSHARD(s0)@comm; e0:comm; "
        "compute<e0; FWD(s0,m0); BWD(s0,m0); FWD(s0,m1); BWD(s0,m1); "
        "e1:compute; comm<e1; FSDP_REDUCE_GRAD(s0)@comm; e2:comm; e3:compute; "
        "e4:comm; compute<e4");
  CHECK(program.kernels[0].kind == KernelKind::all_gather);
  CHECK(program.kernels[0].bytes == 8 * kMiB);
  CHECK(program.kernels[5].kind == KernelKind::reduce_scatter);
  CHECK(program.communicators[0].name == "fsdp.0");
}

// One stage at a time: a host that costs nothing would gather both at once.
//
//   comm     |gather|      |gather|
//   compute  .........|F 10|.............|........|F 10|
//            0      4    14    18    28
TEST_CASE("what is gathered waits for the room of what was freed before it") {
  const Program program = lowered(
      "rank0: FSDP_UNSHARD(s0) FWD(s0,m0) FSDP_RESHARD(s0) FSDP_UNSHARD(s0) FWD(s0,m1)", sharded());
  CHECK(thread_words(program, 0) ==
        "FSDP_UNSHARD(s0)@comm; e0:comm; compute<e0; FWD(s0,m0); e1:compute; "
        "comm<e1; FSDP_UNSHARD(s0)@comm; e2:comm; compute<e2; FWD(s0,m1)");
  const Trace trace = trace_of(program);
  CHECK(trace.kernels[2].times.start_ns == 14);
  CHECK(trace.kernels[3].times.start_ns == 18);
}

TEST_CASE("comm.wait = at_launch: compute waits for the parameters right away") {
  Scenario scenario = sharded();
  scenario.comm.wait = CommWait::at_launch;
  CHECK(thread_words(lowered(kSharded, scenario), 0)
            .starts_with("FSDP_UNSHARD(s0)@comm; e0:comm; compute<e0; FWD(s0,m0); BWD(s0,m0)"));
}

TEST_CASE("per_group and streams.fsdp move the exchanges") {
  Scenario scenario = sharded();
  scenario.streams.preset = StreamPreset::per_group;
  CHECK(thread_words(lowered(kSharded, scenario), 0).starts_with("FSDP_UNSHARD(s0)@fsdp; e0:fsdp"));
  scenario.streams.fsdp = "shards";
  CHECK(thread_words(lowered(kSharded, scenario), 0).starts_with("FSDP_UNSHARD(s0)@shards"));
}

// Either thread may launch first, so both wait.
TEST_CASE("both threads of an overlap wait for the parameters gathered before it") {
  const Program program =
      lowered("rank0: FSDP_UNSHARD(s0) OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)] FWD(s0,m0)", sharded());
  CHECK(thread_words(program, 0, 1).starts_with("compute<e0; BWD(s0,m0)"));
  CHECK(thread_words(program, 0).find("compute<e0; FWD(s0,m1)") != std::string::npos);
  CHECK(thread_words(program, 0).find("compute<e0; FWD(s0,m0)") == std::string::npos);
}

// 8 MiB among two peers: 4 MiB come from the other one. 4 + 4096 ns.
TEST_CASE("an exchange takes the latency and the bytes a peer lacks") {
  Scenario scenario = sharded();
  scenario.network.p2p_bandwidth = {1024.0 * 1e6};  // 1024 bytes in 1 us
  const Program program = lowered(kSharded, scenario);
  CHECK(program.kernels[0].duration_ns == 4 + 4'096'000);
  CHECK(program.kernels[5].duration_ns == 4 + 4'096'000);
}

//   comm     |gather|                    |reduce|
//   compute  .......|F 10|B 50|F 10|B 50|
//            0      4    14   64   74  124      128
TEST_CASE("sharded memory: shares all the time, the whole while it is gathered or not reduced") {
  Scenario scenario = sharded();
  scenario.stage.activation_bytes = {3 * kMiB};
  const Trace trace = trace_of(lowered(kSharded, scenario));
  using enum MemoryClass;
  const std::vector<MemoryRecord> expected = {
      {0, 0, parameters, 4 * kMiB},     {0, 0, gradients, 4 * kMiB},
      {0, 0, optimizer, 24 * kMiB},     {0, 0, gathered, 8 * kMiB},
      {0, 4, activations, 3 * kMiB},    {0, 14, gradients, 8 * kMiB},
      {0, 64, activations, -3 * kMiB},  {0, 64, activations, 3 * kMiB},
      {0, 124, activations, -3 * kMiB}, {0, 124, gathered, -8 * kMiB},
      {0, 128, gradients, -8 * kMiB}};
  CHECK(trace.memory == expected);
}

// One stage: forward 10, backward 20, activations of 2 MiB that a copy moves in 5 ns.
Scenario swapped() {
  Scenario scenario = stage_scenario("1f1b", 1, 1, 2, 0.010, 0.020, 0, 0);
  scenario.stage.activation_bytes = {2 * kMiB};
  scenario.network.device_host.latency_us = 0.005;
  return scenario;
}

const char* const kSwapped =
    "rank0: FWD(s0,m0) SWAP_LAUNCH_OFFLOAD(s0,m0) FWD(s0,m1) SWAP_WAIT_OFFLOAD(s0,m0) "
    "SWAP_LAUNCH_LOAD(s0,m0) BWD(s0,m1) SWAP_WAIT_LOAD(s0,m0) BWD(s0,m0)";

TEST_CASE("offloads and loads: behind the compute so far, on copy; their waits are compute's") {
  CHECK(thread_words(lowered(kSwapped, swapped()), 0) ==
        "FWD(s0,m0); e0:compute; copy<e0; SWAP_LAUNCH_OFFLOAD(s0,m0)@copy; e1:copy; "
        "FWD(s0,m1); compute<e1; "
        "e2:compute; copy<e2; SWAP_LAUNCH_LOAD(s0,m0)@copy; e3:copy; "
        "BWD(s0,m1); compute<e3; BWD(s0,m0)");
}

//   compute  |F m0|F m1|B m1     |B m0     |
//   copy     .....|off|.|load|
//            0    10 15 20   25 40        60
TEST_CASE("what is offloaded is free at its wait, and taken again when the load starts") {
  const Trace trace = trace_of(lowered(kSwapped, swapped()));
  CHECK(trace.kernels[1].times.start_ns == 10);
  CHECK(trace.kernels[1].times.end_ns == 15);
  CHECK(trace.kernels[3].times.start_ns == 20);
  using enum MemoryClass;
  const std::vector<MemoryRecord> expected = {
      {0, 0, activations, 2 * kMiB},   {0, 10, activations, 2 * kMiB},
      {0, 20, activations, -2 * kMiB}, {0, 20, activations, 2 * kMiB},
      {0, 40, activations, -2 * kMiB}, {0, 60, activations, -2 * kMiB}};
  CHECK(trace.memory == expected);
}

TEST_CASE("a slow offload holds up the compute behind its wait, and its memory") {
  Scenario scenario = swapped();
  scenario.network.device_host.latency_us = 0.100;
  const Trace trace = trace_of(lowered(kSwapped, scenario));
  CHECK(trace.kernels[1].times.end_ns == 110);
  CHECK(trace.kernels[4].times.start_ns == 110);  // BWD(s0,m1), behind the wait
  CHECK(trace.memory[2] == MemoryRecord{0, 110, MemoryClass::activations, -2 * kMiB});
}

TEST_CASE("a wait without a copy under way is an error") {
  CHECK_THROWS_WITH_AS(
      lowered("rank0: FWD(s0,m0) SWAP_WAIT_OFFLOAD(s0,m0)", swapped()),
      "error: rank 0 has SWAP_WAIT_OFFLOAD(s0,m0), but no copy is under way; expected "
      "SWAP_LAUNCH_OFFLOAD before it",
      Error);
}

// A split backward frees a share of the activations early; what is received has a buffer from the
// moment its receive is posted; what is sent stays until it is gone.
//
//   rank 0  |F 10|                 rank 1  .........|F 10|I 20 |W 30  |
//   comm    .....|====|            comm    |.........====|
//           0    10   14                   0    10   14  24    44     74
TEST_CASE("activations, their input share, and the buffers of transfers") {
  Scenario scenario = stage_scenario("zb_h1", 2, 1, 1, 0.010, 0.020, 0.030, 0.004);
  scenario.stage.activation_bytes = {8 * kMiB};
  scenario.stage.input_share = 0.25;
  scenario.stage.output_bytes = {kMiB};
  const Trace trace =
      trace_of(lowered("rank0: FWD(s0,m0) FWD_SEND(s0,m0)\n"
                       "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD_INPUT(s1,m0) BWD_WEIGHT(s1,m0)",
                       scenario));
  using enum MemoryClass;
  const std::vector<MemoryRecord> expected = {
      {0, 0, activations, 8 * kMiB},   {0, 10, p2p_buffers, kMiB},
      {0, 14, p2p_buffers, -kMiB},     {1, 0, p2p_buffers, kMiB},
      {1, 14, p2p_buffers, -kMiB},     {1, 14, activations, 8 * kMiB},
      {1, 44, activations, -2 * kMiB}, {1, 74, activations, -6 * kMiB}};
  CHECK(trace.memory == expected);
}

TEST_CASE("without sizes of activations or parameters nothing is said of memory") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 2, 1, 1, 1, 1);
  scenario.stage.output_bytes = {kMiB};
  CHECK(lower(make_schedule(scenario), scenario).memory.empty());
}

// Two stages on two ranks; loading takes 7 of the host, the copy 5, a transfer 4.
Scenario loading() {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 1, 0.010, 0, 0, 0.004);
  scenario.data.load_us = 0.007;
  scenario.network.device_host.latency_us = 0.005;
  return scenario;
}

const char* const kLoading =
    "rank0: DATA_LOAD(s0,m0) FWD(s0,m0) DATA_SEND(s0,m0) FWD_SEND(s0,m0)\n"
    "rank1: DATA_LOAD(s1,m0) DATA_RECV(s1,m0) FWD_RECV(s1,m0) FWD(s1,m0)";

TEST_CASE("the first stage loads; the host waits for data transfers at both ends") {
  const Program program = lowered(kLoading, loading());
  CHECK(thread_words(program, 0) ==
        "host_work; DATA_LOAD(s0,m0)@copy; e0:copy; compute<e0; FWD(s0,m0); "
        "comm<e0; DATA_SEND(s0,m0)>1@comm; e1:comm; host<e1; "
        "e2:compute; comm<e2; FWD_SEND(s0,m0)>1@comm; e3:comm; compute<e3");
  CHECK(thread_words(program, 1) ==
        "DATA_RECV(s1,m0)<0@comm; e0:comm; host<e0; "
        "FWD_RECV(s1,m0)<0@comm; e1:comm; compute<e1; FWD(s1,m0)");
}

//   host 0   |load|     compute 0  ............|F 10|
//   copy 0   .....|copy|   comm 0  ............|data|....|====|
//            0    7    12                      12   16   22   26
TEST_CASE("data on its way: behind the load's copy, not behind the forward") {
  const Trace trace = trace_of(lowered(kLoading, loading()));
  CHECK(trace.kernels[0].times.start_ns == 7);
  CHECK(trace.kernels[1].times.start_ns == 12);
  CHECK(trace.kernels[2].times.start_ns == 12);
  CHECK(trace.kernels[2].times.end_ns == 16);
  CHECK(trace.kernels[3].times.start_ns == 22);
  CHECK(makespan_ns(trace) == 36);
}

}  // namespace
}  // namespace steptwin
