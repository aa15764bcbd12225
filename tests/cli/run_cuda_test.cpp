#include <cstdlib>
#include <doctest/doctest.h>
#include <string>

#include "tests/cli/run_program.h"

// `steptwin run --backend cuda`: on no GPU, and on stand-ins that the program loads in place of the
// toolkit, where it was built with one.
namespace steptwin {
namespace {

std::string fake_gpu_folder() {
  const char* folder = std::getenv("STEPTWIN_FAKE_GPU_FOLDER");
  return folder == nullptr ? "" : folder;
}

RunResult run_on_gpus(const std::string& scenario, int devices,
                      const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"run",       scenario, "--backend", "cuda",
                                        "--kernels", "timed",  "--repeat",  "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  RunRequest request;
  request.environment = {"LD_LIBRARY_PATH=" + fake_gpu_folder(),
                         "STEPTWIN_FAKE_GPUS=" + std::to_string(devices)};
  return run_program(arguments, request);
}

TEST_CASE("without CUDA, or without a GPU, a run on GPUs says so and exits with 3") {
  const RunResult run = run_on_gpus(scenario_path("one_gpu_in_turn.toml"), 0);
  CHECK(run.status == 3);
  CHECK(run.output == "");
  const std::string found = "error: --backend cuda finds no GPU: ";
  if (fake_gpu_folder().empty()) {
    CHECK(run.errors.starts_with(found));
  } else {
    CHECK(run.errors == found + "no CUDA-capable device is detected (cudaErrorNoDevice)\n");
  }
}

TEST_CASE("a run on GPUs prints what was measured, and on what") {
  if (fake_gpu_folder().empty()) return;
  const RunResult run = run_on_gpus(scenario_path("pipeline_1f1b.toml"), 4);
  CHECK(run.status == 0);
  CHECK(run.errors == "");
  CHECK(run.output.find("measured on stand-in with") != std::string::npos);
}

TEST_CASE("a run on too few GPUs exits with 3, and so does one that hangs") {
  if (fake_gpu_folder().empty()) return;
  const RunResult few = run_on_gpus(scenario_path("pipeline_1f1b.toml"), 3);
  CHECK(few.status == 3);
  CHECK(few.errors == "error: 4 ranks want a GPU each, and this machine has 3\n");
  const TemporaryFolder folder;
  const std::string hangs =
      folder.write("hangs.toml", "[pipeline]\nranks = 2\nmicro_batches = 2\nschedule_file = \"" +
                                     scenario_path("schedules/hangs.steps") +
                                     "\"\n[stage]\nforward_us = 10\nbackward_input_us = 10\n"
                                     "backward_weight_us = 10\n");
  const RunResult run = run_on_gpus(hangs, 2, {"--deadline", "0.5"});
  CHECK(run.status == 3);
  CHECK((run.output + run.errors).find("rank 0 stream comm stops at BWD_RECV(s0,m0) from rank 1") !=
        std::string::npos);
}

}  // namespace
}  // namespace steptwin
