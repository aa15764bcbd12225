#include "hw/cuda/job.h"

#include <doctest/doctest.h>

#include "tests/hw/cuda/fake_run.h"
#include "tests/sim/program_writer.h"

namespace steptwin::hw::cuda {
namespace {

constexpr std::int32_t kCompute = 0;
constexpr std::int32_t kComm = 1;

// What making a job throws.
std::string refusal(const Program& program) {
  Stop stop;
  try {
    const CudaJob job(program, quick_settings(), stop);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// System: rank 0 sends what it has computed, rank 1 receives it and computes.
Program pair_program() {
  Program program = empty_program(2, {"compute", "comm"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter first(program, 0, 0);
  first.compute(kCompute, 1'000'000);
  first.wait(kComm, first.record(kCompute));
  first.p2p(kComm, pair, {{true, StepType::fwd_send, 1, 0, 0, 10'000, 0}});
  ThreadWriter second(program, 1, 0);
  second.p2p(kComm, pair, {{false, StepType::fwd_recv, 0, 1, 0, 10'000, 0}});
  second.wait(kCompute, second.record(kComm));
  second.compute(kCompute, 500'000);
  return program;
}

TEST_CASE("a transfer begins when both ends have come to it") {
  const FakeMachine machine(2);
  const auto outcome = run_on_fake(pair_program());
  const Trace& trace = std::get<Run>(outcome).traces.at(0);
  const KernelTimes& compute = trace.kernels[0].times;
  const KernelTimes& send = trace.kernels[1].times;
  const KernelTimes& receive = trace.kernels[2].times;
  const KernelTimes& after = trace.kernels[3].times;
  CHECK(compute.end_ns - compute.start_ns >= 1'000'000);
  CHECK(send.ready_ns >= compute.end_ns);
  CHECK(receive.ready_ns < send.ready_ns);
  CHECK(receive.start_ns == send.start_ns);
  CHECK(receive.start_ns == send.ready_ns);
  CHECK(after.ready_ns >= receive.end_ns);
}

TEST_CASE("a communicator of one rank sends to itself") {
  const FakeMachine machine(1);
  Program program = empty_program(1, {"compute", "comm"});
  const std::int32_t alone = add_communicator(program, {0});
  ThreadWriter main(program, 0, 0);
  for (const KernelKind kind : {KernelKind::all_to_all, KernelKind::all_gather,
                                KernelKind::reduce_scatter, KernelKind::all_reduce}) {
    main.collective(kComm, alone, kind, 0, 5'000);
  }
  const auto outcome = run_on_fake(program);
  CHECK(std::get<Run>(outcome).traces.at(0).kernels.size() == 4);
}

TEST_CASE("nothing is allocated in an iteration, and nothing is left at the end") {
  const FakeMachine machine(2);
  Stop stop;
  {
    const Program program = pair_program();
    CudaJob job(program, quick_settings(), stop);
    const std::int64_t made = fake_gpu::live();
    CHECK(made > 0);
    const std::int64_t events = fake_gpu::calls("cudaEventCreateWithFlags");
    const std::int64_t allocations = fake_gpu::calls("cudaMalloc");
    execute(program, job, stop, quick_options(3));
    CHECK(fake_gpu::live() == made);
    CHECK(fake_gpu::calls("cudaEventCreateWithFlags") == events);
    CHECK(fake_gpu::calls("cudaMalloc") == allocations);
    CHECK(fake_gpu::calls("ncclCommFinalize") == 0);
  }
  CHECK(fake_gpu::live() == 0);
  CHECK(fake_gpu::calls("ncclCommFinalize") == 2);
  CHECK(fake_gpu::calls("ncclCommAbort") == 0);
}

TEST_CASE("what the machine cannot do is refused before anything is made") {
  const FakeMachine machine(1);
  CHECK(refusal(pair_program()) == "2 ranks want a GPU each, and this machine has 1");
  fake_gpu::reset(fake_gpu::kNoDriver);
  CHECK(refusal(pair_program()) ==
        "no GPU can be used: CUDA driver version is insufficient for CUDA runtime version "
        "(cudaErrorInsufficientDriver)");
  fake_gpu::reset(2);
  Program eager = pair_program();
  eager.eager_bytes = 100;
  CHECK(refusal(eager) ==
        "network.eager_bytes: on a GPU no send ends without its receiver; expected 0");
}

}  // namespace
}  // namespace steptwin::hw::cuda
