#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <rapidjson/document.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/property_count.h"

// steptwin run with a rank in each of two processes.
namespace steptwin {
namespace {

const std::string kScenario = R"(
[pipeline]
ranks = 2
chunks_per_rank = 2
micro_batches = 4
schedule = "interleaved_1f1b"
[stage]
forward_us = 500
backward_input_us = 500
backward_weight_us = 500
output_bytes = "64KiB"
)";

// Sanitizers report what the MPI library itself leaves behind and shares between its threads.
bool can_run() {
  const bool is_instrumented = property_count(100) < 100;
  const bool is_there = std::system("mpirun --version >/dev/null 2>&1") == 0;
  if (is_instrumented || !is_there) MESSAGE("skipped: no mpirun, or an instrumented program");
  return is_there && !is_instrumented;
}

RunRequest two_processes() {
  RunRequest request;
  request.launcher = {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"};
  return request;
}

std::vector<std::string> run_of(const std::string& scenario, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"run", scenario, "--kernels", "timed"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_CASE("two processes run a step, and process 0 alone reports it") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  const std::string out = (folder / "out").string();
  const RunResult run = run_program(run_of(scenario, {"--json", "--out", out}), two_processes());
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  rapidjson::Document document;
  document.Parse(run.output.c_str(), run.output.size());
  REQUIRE_FALSE(document.HasParseError());
  CHECK(document["steps"].GetInt() == 5);
  CHECK(document["ranks"].Size() == 2);
  // Each rank computes 8 forwards and 8 backwards of 1.5 ms in all.
  CHECK(document["step_time_us"].GetDouble() >= 12'000);
  CHECK(names_in(folder / "out").size() == 7);
  const RunResult same = run_program({"compare", out, out});
  CHECK(same.status == 0);
}

TEST_CASE("all-to-alls cross processes as well") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", R"(
[pipeline]
ranks = 1
micro_batches = 2
schedule = "gpipe"
[parallel]
expert = 2
fold = false
[layers]
per_stage = 2
attention_us = { forward = 100, backward_input = 100, backward_weight = 100 }
experts_us = { forward = 100, backward_input = 100, backward_weight = 100 }
dispatch_bytes = "64KiB"
combine_bytes = "64KiB"
[noise]
moe_imbalance = 0.2
)");
  CHECK(run_program(run_of(scenario), two_processes()).status == 0);
}

// What arrives is checked word by word, sums included.
TEST_CASE("sharded parameters are gathered from processes, and gradients scattered to them") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", R"(
[pipeline]
ranks = 1
chunks_per_rank = 2
micro_batches = 2
schedule = "looped_bfs"
[parallel]
expert = 2
fold = false
fsdp = true
[stage]
forward_us = 500
backward_input_us = 500
backward_weight_us = 500
output_bytes = "64KiB"
parameter_bytes = "1MiB"
)");
  const std::filesystem::path out = folder / "out";
  CHECK(run_program(run_of(scenario, {"--out", out.string()}), two_processes()).status == 0);
  const std::string trace = text_of_file(out / "trace.csv");
  for (const char* kernel :
       {"0,main,comm,all_gather,unshard", "1,main,comm,all_gather,unshard",
        "0,main,comm,reduce_scatter,reduce_grad", "1,main,comm,reduce_scatter,reduce_grad"}) {
    CAPTURE(kernel);
    CHECK(trace.find(kernel) != std::string::npos);
  }
}

TEST_CASE("batches and eager sends cross processes as well") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  for (const char* setting : {"pipeline.p2p=batch", "network.eager_bytes=1MiB"}) {
    CAPTURE(setting);
    CHECK(run_program(run_of(scenario, {"--set", setting}), two_processes()).status == 0);
  }
}

// A process each for two command lines.
RunResult run_both(std::vector<std::string> first, const std::vector<std::string>& second) {
  RunRequest request = two_processes();
  request.launcher.back() = "1";
  first.insert(first.end(), {":", "-n", "1", std::getenv("STEPTWIN_PROGRAM")});
  first.insert(first.end(), second.begin(), second.end());
  return run_program(first, request);
}

TEST_CASE("processes that are to run different things say so, and none waits") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  const std::string same = "is about to run something else than process 0";
  for (const std::vector<std::string>& other :
       {run_of(scenario, {"--repeat", "3"}), run_of(scenario, {"--set", "stage.forward_us=501"}),
        std::vector<std::string>{"run", scenario}}) {
    const RunResult run = run_both(run_of(scenario), other);
    CHECK(run.status == 3);
    CHECK(run.errors.find("error: process 1 " + same) != std::string::npos);
  }
}

TEST_CASE("input that is wrong for one process alone ends the others too") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  const std::string missing = (folder / "missing.toml").string();
  const RunResult run = run_both(run_of(scenario), run_of(missing));
  CHECK(run.status == 2);
  CHECK(run.errors.find("process 1: " + missing + ": error: cannot be read") != std::string::npos);
}

TEST_CASE("what measures a machine refuses to be several processes") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"calibrate", "--machine", (folder / "m.toml").string()},
        std::vector<std::string>{"validate", scenario}}) {
    const RunResult run = run_program(command, two_processes());
    CHECK(run.status == 2);
    CHECK(run.errors.find("error: " + command[0] + " was started by mpirun; expected it without") !=
          std::string::npos);
  }
  CHECK(folder.names() == std::vector<std::string>{"s.toml"});
}

TEST_CASE("what hangs between processes is told as the simulator tells it") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  const std::vector<std::string> late = {"--set", "pipeline.recv_placement=late"};
  std::vector<std::string> limited = late;
  limited.insert(limited.end(), {"--deadline", "0.5"});
  const RunResult run = run_program(run_of(scenario, limited), two_processes());
  CHECK(run.status == 3);
  std::vector<std::string> simulate = {"simulate", scenario};
  simulate.insert(simulate.end(), late.begin(), late.end());
  const std::string expected = run_program(simulate).output;
  const auto cycle_of = [](const std::string& text) {
    const std::size_t begin = text.find("\n\n");
    return text.substr(begin, text.find("\n\n", begin + 2) - begin);
  };
  CHECK(cycle_of(run.output) == cycle_of(expected));
}

TEST_CASE("as many processes as ranks; wrong input is told once") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  const RunResult four =
      run_program(run_of(scenario, {"--set", "pipeline.ranks=4"}), two_processes());
  CHECK(four.status == 3);
  CHECK(four.errors.find("there are 2 processes for 4 ranks; start as many: mpirun -n 4") !=
        std::string::npos);
  const RunResult wrong =
      run_program(run_of(scenario, {"--set", "pipeline.ranks=x"}), two_processes());
  CHECK(wrong.status == 2);
  const std::string message = "pipeline.ranks is \"x\"";
  const std::size_t first = wrong.errors.find(message);
  CHECK(first != std::string::npos);
  CHECK(wrong.errors.find(message, first + 1) == std::string::npos);
}

// The parent of a process, as the system has it; 0 if the process is gone.
pid_t parent_of(const std::filesystem::path& process) {
  std::ifstream status(process / "status");
  std::string word;
  while (status >> word) {
    pid_t parent = 0;
    if (word == "PPid:" && status >> parent) return parent;
  }
  return 0;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (parent_of(entry.path()) == parent) children.push_back(std::stoi(name));
  }
  return children;
}

// Whether it is over, or will be soon; one that nobody has buried yet is.
bool is_gone(pid_t process) {
  for (int tries = 0; tries < 5000; ++tries) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    std::string word;
    std::string state;
    while (status >> word) {
      if (word == "State:" && status >> state) break;
    }
    if (state.empty() || state == "Z" || state == "X") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Whether a thread of the process runs a rank's steps.
bool runs_a_rank(pid_t process) {
  std::error_code gone;
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    if (file >> name && name == "rank") return true;
  }
  return false;
}

// Sends the signal to one of the two ranks in mid-run; `ranks` becomes both.
std::function<void(pid_t)> signal_one(int signal, std::vector<pid_t>& ranks) {
  return [signal, &ranks](pid_t mpirun) {
    bool are_running = false;
    for (int tries = 0; tries < 10'000 && !are_running; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ranks = children_of(mpirun);
      are_running = ranks.size() == 2 && runs_a_rank(ranks.front()) && runs_a_rank(ranks.back());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (!ranks.empty()) kill(ranks.back(), signal);
  };
}

TEST_CASE("a process that is killed ends the others, and nothing is left") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  RunRequest request = two_processes();
  std::vector<pid_t> ranks;
  request.meanwhile = signal_one(SIGKILL, ranks);
  const std::string out = (folder / "out").string();
  const RunResult run = run_program(run_of(scenario, {"--repeat", "2000", "--out", out}), request);
  REQUIRE(ranks.size() == 2);
  CHECK_FALSE(run.hung);
  CHECK(run.status != 0);
  CHECK_FALSE(run.errors.empty());
  for (const pid_t rank : ranks) CHECK(is_gone(rank));
  CHECK(folder.names() == std::vector<std::string>{"s.toml"});
}

TEST_CASE("a process that stands still is not waited for without end, and nothing is left") {
  if (!can_run()) return;
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.toml", kScenario);
  RunRequest request = two_processes();
  std::vector<pid_t> ranks;
  request.meanwhile = signal_one(SIGSTOP, ranks);
  const RunResult run =
      run_program(run_of(scenario, {"--repeat", "3000", "--deadline", "0.5"}), request);
  REQUIRE(ranks.size() == 2);
  CHECK_FALSE(run.hung);
  CHECK(run.status == 3);
  CHECK(run.errors.find("another process has not answered for 10.5 s") != std::string::npos);
  for (const pid_t rank : ranks) CHECK(is_gone(rank));
}

}  // namespace
}  // namespace steptwin
