#include "model/machine.h"

#include <doctest/doctest.h>
#include <vector>

#include "tests/scenarios.h"
#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

// Host costs of 1, 2, 3, 4, 5 and 6 us; transfers 10 us + a byte a ns, all-to-alls 20 us + a byte
// in 2 ns, copies 30 us + a byte in 4 ns; 3.4 cores.
Machine machine() {
  Machine made;
  made.launch.us = 1;
  made.event.us = 2;
  made.rendezvous.us = 3;
  made.wake.us = 4;
  made.fork.us = 5;
  made.resume.us = 6;
  made.transfer = {10, 1e9};
  made.collective = {20, 0.5e9};
  made.copy = {30, 0.25e9};
  made.lateness.us = 7;
  made.effective_cores = 3.4;
  made.compute_loss = 0.25;
  made.comm_loss = 0.5;
  return made;
}

// Rank 0 forks a thread; computes 100 us, copies 8000 bytes in 50 us, sends 4000 bytes in 50 us and
// 200 bytes in 5 us, and both ranks make an all-to-all of 1000 bytes in 300 us.
Program modelled() {
  Program program = empty_program(2, {"compute", "comm"});
  program.host = {100, 200, 300, 400, 500, true};
  const std::int32_t pair = add_communicator(program, {0, 1});
  const std::int32_t both = add_communicator(program, {0, 1});
  ThreadWriter main(program, 0, 0);
  main.host_work(77);
  const ThreadWriter forked = main.fork();
  main.compute(kCompute, 100'000);
  main.copy(kCompute, 50'000);
  program.kernels[1].bytes = 8000;
  main.join(forked);
  ThreadWriter other(program, 1, 0);
  main.send(kComm, pair, 1, 50'000, 4000);
  main.send(kComm, pair, 1, 5'000, 200);
  other.recv(kComm, pair, 0, 50'000, 4000);
  other.recv(kComm, pair, 0, 5'000, 200);
  main.collective(kComm, both, KernelKind::all_to_all, 300'000, 1000);
  other.collective(kComm, both, KernelKind::all_to_all, 300'000, 1000);
  validate(program);
  return program;
}

TEST_CASE("timed: the machine's costs on top of the modelled ones, bytes where they take longer") {
  const Program program = calibrated(modelled(), machine(), MachineKernels::timed);
  validate(program);
  CHECK(program.host == HostCosts{1'100, 2'200, 3'300, 4'400, 5'500, true});
  CHECK(program.kernels[0].duration_ns == 107'000);          // + lateness
  CHECK(program.kernels[1].duration_ns == 50'000 + 30'000);  // 32 us of bytes are less
  REQUIRE(program.p2p_parts.size() == 4);
  CHECK(program.p2p_parts[0].transfer_ns == 60'000);
  CHECK(program.p2p_parts[1].transfer_ns == 15'000);
  CHECK(program.p2p_parts[2].transfer_ns == 60'000);
  CHECK(program.kernels[6].duration_ns == 320'000);
  CHECK(program.kernels[7].duration_ns == 320'000);
  CHECK(program.contention == modelled().contention);
  Machine slow = machine();
  slow.transfer.per_second = slow.collective.per_second = slow.copy.per_second = 1e6;
  const Program slower = calibrated(modelled(), slow, MachineKernels::timed);
  CHECK(slower.kernels[1].duration_ns == 8'030'000);
  CHECK(slower.p2p_parts[0].transfer_ns == 4'010'000);
  CHECK(slower.kernels[6].duration_ns == 1'020'000);
}

TEST_CASE("real: the machine's costs and bytes alone, on shared cores") {
  const Program program = calibrated(modelled(), machine(), MachineKernels::real);
  validate(program);
  CHECK(program.host == HostCosts{1'000, 2'000, 3'000, 4'000, 5'000, true});
  CHECK(program.kernels[0].duration_ns == 100'000);
  CHECK(program.kernels[1].duration_ns == 30'000 + 32'000);
  CHECK(program.p2p_parts[0].transfer_ns == 14'000);
  CHECK(program.p2p_parts[1].transfer_ns == 10'200);
  CHECK(program.kernels[6].duration_ns == 22'000);
  CHECK(program.contention.host_cores == 3);
  CHECK(program.contention.host == std::vector<std::int32_t>{0, 0});
  CHECK(program.contention.node == std::vector<std::int32_t>{0, 0});
  CHECK(program.contention.devices == 1);
  CHECK(program.contention.compute_loss == kWholeRate / 4);
  CHECK(program.contention.comm_loss == kWholeRate / 2);
  CHECK_FALSE(program.contention.while_waiting);
}

TEST_CASE("a machine that never was measured has one core and moves bytes in no time") {
  const Program program = calibrated(modelled(), {}, MachineKernels::real);
  CHECK(program.contention.host_cores == 1);
  CHECK(program.host == HostCosts{0, 0, 0, 0, 0, true});
  CHECK(program.p2p_parts[0].transfer_ns == 0);
  CHECK(program.kernels[6].duration_ns == 0);
}

TEST_CASE("whoever forks goes on later: host work behind each fork, and nowhere else") {
  const Program before = modelled();
  const Program program = calibrated(before, machine(), MachineKernels::timed);
  CHECK(program.ranks[0].host_work_ns.back() == 6'000);
  std::vector<Command> expected;
  for (const Command& command : before.ranks[0].threads[0].commands) {
    expected.push_back(command);
    if (command.type != CommandType::fork) continue;
    expected.push_back({.type = CommandType::host_work, .index = 1});
  }
  CHECK(expected.size() == before.ranks[0].threads[0].commands.size() + 1);
  CHECK(program.ranks[0].threads[0].commands == expected);
  CHECK(program.ranks[0].threads[1].commands == before.ranks[0].threads[1].commands);
  CHECK(program.ranks[1].threads[0].commands == before.ranks[1].threads[0].commands);
}

// The executor appends a kernel once, whatever it stands for; only the modelled launch is paid for
// each.
TEST_CASE("the machine's launch is paid once for a kernel of several launches") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter main(program, 0, 0);
  Kernel kernel;
  kernel.launches = 20;
  kernel.duration_ns = 1000;
  main.launch(kernel);
  const Program real = calibrated(program, machine(), MachineKernels::real);
  CHECK(makespan_ns(trace_of(real)) == 1'000 + 1'000);
  program.host.launch_ns = 100;
  const Program timed = calibrated(program, machine(), MachineKernels::timed);
  CHECK(makespan_ns(trace_of(timed)) == 20 * 100 + 1'000 + 1'000 + 7'000);
}

}  // namespace
}  // namespace steptwin
