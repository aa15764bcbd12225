#include <chrono>
#include <doctest/doctest.h>
#include <string>

#include "nccl.h"
#include "tests/hw/cuda/fake_run.h"
#include "tests/scenarios.h"

// What goes wrong on a machine ends the run, within its deadline, with a sentence that says what.
namespace steptwin::hw::cuda {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Scenario pipeline() {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 4, 50, 50, 50, 10);
  scenario.stage.output_bytes = {10'000};
  return scenario;
}

// How a run with a fault ends; "" if it ends well.
struct Ending {
  std::string setup;  // from making the job
  std::string run;
  bool deadlock = false;
};

template <typename Break>
Ending ending(const Scenario& scenario, KernelMode kernels, Break break_it, bool before_setup,
              std::chrono::milliseconds deadline = kPatient) {
  const FakeMachine machine(2);
  const Program program = lower(make_schedule(scenario), scenario);
  Settings settings = quick_settings(kernels);
  settings.deadline = deadline;
  Ending found;
  Stop stop;
  const Clock::time_point begin = Clock::now();
  if (before_setup) break_it();
  try {
    CudaJob job(program, settings, stop);
    if (!before_setup) break_it();
    try {
      RunOptions options = quick_options();
      options.deadline = deadline;
      found.deadlock = std::holds_alternative<Deadlock>(execute(program, job, stop, options));
    } catch (const std::exception& error) {
      found.run = error.what();
    }
  } catch (const std::exception& error) {
    found.setup = error.what();
  }
  CHECK(Clock::now() - begin < kPatient + 10s);
  return found;
}

template <typename Break>
std::string setup_ending(Break break_it, KernelMode kernels = KernelMode::timed) {
  return ending(pipeline(), kernels, break_it, true).setup;
}

template <typename Break>
std::string run_ending(Break break_it, const Scenario& scenario = pipeline()) {
  return ending(scenario, KernelMode::timed, break_it, false).run;
}

TEST_CASE("a call that fails in setting up names itself") {
  CHECK(setup_ending([] { fake_gpu::fail_call("cudaMalloc", 1, cudaErrorMemoryAllocation); }) ==
        "cudaMalloc: cudaErrorMemoryAllocation: out of memory");
  CHECK(setup_ending([] { fake_gpu::fail_call("ncclCommInitRankConfig", 2, ncclSystemError); }) ==
        "ncclCommInitRankConfig: unhandled system error: it was to fail");
  CHECK(setup_ending([] {
          fake_gpu::fail_call("cudaEventCreateWithFlags", 3, cudaErrorMemoryAllocation);
        }) == "cudaEventCreateWithFlags: cudaErrorMemoryAllocation: out of memory");
  CHECK(setup_ending([] { fake_gpu::fail_call("cublasGemmEx", 5, CUBLAS_STATUS_EXECUTION_FAILED); },
                     KernelMode::real) ==
        "cublasGemmEx: CUBLAS_STATUS_EXECUTION_FAILED: the function failed to launch on the GPU");
}

TEST_CASE("every call of setting up may fail, and nothing is left behind") {
  for (const char* function : {"cudaGetDeviceProperties",
                               "cudaSetDevice",
                               "cudaDeviceGetStreamPriorityRange",
                               "cudaStreamCreateWithPriority",
                               "cudaHostAlloc",
                               "cudaStreamQuery",
                               "cudaMemcpy",
                               "cublasCreate",
                               "cublasSetStream",
                               "cublasSetWorkspace",
                               "ncclGetUniqueId",
                               "ncclCommGetAsyncError",
                               "ncclGroupStart",
                               "ncclGroupEnd",
                               "ncclSend",
                               "ncclRecv",
                               "spin",
                               "fill_pattern",
                               "check_pattern",
                               "cudaEventRecord",
                               "cudaEventQuery"}) {
    CAPTURE(function);
    const std::string text =
        setup_ending([&] { fake_gpu::fail_call(function, 1, 1); }, KernelMode::real);
    CHECK(text.starts_with(function));
  }
}

TEST_CASE("a peer that never comes ends setting up at its deadline") {
  const Ending found = ending(
      pipeline(), KernelMode::timed, [] { fake_gpu::lose_device(1, 1); }, true, 1s);
  CHECK(found.setup == "setting up was not over after 1 s");
}

TEST_CASE("a call that fails in the run names itself and its rank") {
  for (const char* function : {"cudaEventRecord", "ncclSend", "ncclGroupEnd", "spin",
                               "fill_pattern", "cudaStreamWaitEvent"}) {
    CAPTURE(function);
    const std::string text = run_ending([&] { fake_gpu::fail_call(function, 3, 1); });
    const std::string rank_and = std::string(": ") + function + ": ";
    CHECK(text.starts_with("rank "));
    CHECK(text.find(rank_and) == 6);
  }
  // A device that is lost shows wherever somebody asks for it next.
  const std::string text =
      run_ending([] { fake_gpu::fail_call("cudaEventQuery", 20, cudaErrorIllegalAddress); });
  CHECK(text.find("cudaEventQuery: cudaErrorIllegalAddress: an illegal memory access was "
                  "encountered") != std::string::npos);
}

TEST_CASE("a communicator that fails by itself ends the run") {
  const std::string text = run_ending([] { fake_gpu::fail_communication(1, 2); });
  CHECK(text.starts_with("rank 1: "));
  CHECK(text.find("remote process exited or there was a network error") != std::string::npos);
}

TEST_CASE("what arrives otherwise than it was sent ends the run") {
  CHECK(run_ending([] { fake_gpu::spoil_receive(1, 2, 700); }).starts_with("rank 1: kernel "));
  const std::string text = run_ending([] { fake_gpu::spoil_receive(1, 2, 700); });
  CHECK(text.find("the receive from rank 0 brought wrong data: word 700 of 1250 is 0x") !=
        std::string::npos);
}

TEST_CASE("a peer that is lost in the run is told from a deadlock") {
  const Ending found = ending(
      pipeline(), KernelMode::timed, [] { fake_gpu::lose_device(1, 3); }, false, 2s);
  CHECK_FALSE(found.deadlock);
  CHECK(found.run ==
        "nothing moves any more: rank 0 stream comm stops at FWD_SEND(s0,m1) to rank 1, for which "
        "nothing is missing; rank 1 stream comm stops at FWD_RECV(s1,m1) from rank 0, for which "
        "nothing is missing");
}

TEST_CASE("a slow copy is waited for") {
  Scenario offloading = pipeline();
  offloading.stage.activation_bytes = {40'000};
  offloading.parallel.offload = true;
  CHECK(run_ending([] { fake_gpu::slow_copies(20ms); }, offloading) == "");
}

}  // namespace
}  // namespace steptwin::hw::cuda
