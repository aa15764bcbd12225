#include <algorithm>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <rapidjson/document.h>
#include <sys/mount.h>
#include <thread>

#include "tests/cli/run_program.h"

// What `steptwin run` does, whatever the machine takes for it.
namespace steptwin {
namespace {

const std::vector<std::string> kRunFiles = {"host.csv",       "memory.csv",   "scenario.toml",
                                            "schedule.steps", "summary.json", "trace.csv",
                                            "trace.json"};

const std::string kScenario =
    "[pipeline]\nranks = 2\nmicro_batches = 2\nschedule = \"gpipe\"\n"
    "[stage]\nforward_us = 500\nbackward_input_us = 500\nbackward_weight_us = 500\n"
    "output_bytes = \"4KiB\"\n[network]\np2p_latency_us = 100\n";

RunRequest in(const TemporaryFolder& folder) {
  RunRequest request;
  request.folder = folder.path();
  request.environment = {"COLUMNS=90"};
  return request;
}

RunResult run_here(const TemporaryFolder& folder, const std::vector<std::string>& options) {
  folder.write("s.toml", kScenario);
  std::vector<std::string> arguments = {"run", "s.toml"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_program(arguments, in(folder));
}

rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.c_str(), text.size());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

TEST_CASE("run: a summary says what was measured, how often and on what") {
  const TemporaryFolder folder;
  for (const std::string kernels : {"real", "timed"}) {
    CAPTURE(kernels);
    const RunResult run = run_here(folder, {"--kernels", kernels, "--repeat", "3"});
    CHECK(run.status == 0);
    CHECK(run.errors.empty());
    CHECK(run.output.find("measured on this machine's CPU with " + kernels +
                          " kernels: 3 steps, median ") != std::string::npos);
    CHECK(run.output.find("step time") != std::string::npos);
  }
  CHECK(folder.names() == std::vector<std::string>{"s.toml"});
  CHECK(run_here(folder, {"--kernels", "timed", "--quiet"}).output.empty());
}

// 6 kernels of 500 us one after the other, and two hops of 100 us: 2 forwards and 2 backwards of
// the first rank and one each of the second.
TEST_CASE("run --json: the figures of the median step, and the spread") {
  const TemporaryFolder folder;
  const RunResult run = run_here(folder, {"--kernels", "timed", "--repeat", "4", "--json"});
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  const rapidjson::Document document = parsed(run.output);
  CHECK(document["steps"].GetInt() == 4);
  CHECK(document["step_time_us"].GetDouble() >= 4'700);
  CHECK(document["step_time_p5_us"].GetDouble() <= document["step_time_p95_us"].GetDouble());
}

TEST_CASE("run --out: the files of a simulation, which report and compare read back") {
  const TemporaryFolder folder;
  CHECK(run_here(folder, {"--kernels", "timed", "--out", "real"}).status == 0);
  CHECK(names_in(folder / "real") == kRunFiles);
  CHECK(run_program({"simulate", "s.toml", "--out", "sim", "--quiet"}, in(folder)).status == 0);
  CHECK(names_in(folder / "sim") == kRunFiles);
  for (const std::string file : {"scenario.toml", "schedule.steps"}) {
    CHECK(text_of_file(folder / "real" / file) == text_of_file(folder / "sim" / file));
  }
  const RunResult report = run_program({"report", "real"}, in(folder));
  CHECK(report.status == 0);
  CHECK(report.output.find("measured on this machine's CPU with timed kernels: 5 steps, median ") !=
        std::string::npos);
  CHECK(report.output.find("release of all ranks to last end") != std::string::npos);
  CHECK(run_program({"report", "real", "--json"}, in(folder)).output ==
        text_of_file(folder / "real" / "summary.json"));
  const RunResult compare = run_program({"compare", "sim", "real", "--json"}, in(folder));
  CHECK(compare.status == 0);
  const rapidjson::Document compared = parsed(compare.output);
  REQUIRE(compared["ladder"].Size() == 5);
  CHECK(compared["ladder"][0]["step_time_us"].GetDouble() == 4'700);
  CHECK(compared["step_time"]["measured_us"].GetDouble() >= 4'700);
  const RunResult again = run_here(folder, {"--kernels", "timed", "--out", "real"});
  CHECK(again.status == 2);
  CHECK(again.errors.find("real: error: exists already") != std::string::npos);
  CHECK(folder.names() == std::vector<std::string>{"real", "s.toml", "sim"});
}

// Of one step all step times are the same: there is one window.
TEST_CASE("run: the window begins with the release of the ranks, for every figure") {
  const TemporaryFolder folder;
  const RunResult run = run_here(folder, {"--kernels", "timed", "--repeat", "1", "--json"});
  const rapidjson::Document document = parsed(run.output);
  CHECK(document["window"]["begin_us"].GetDouble() == 0);
  CHECK(document["step_time_us"].GetDouble() == document["window"]["end_us"].GetDouble());
  CHECK(document["step_time_us"].GetDouble() == document["step_time_p5_us"].GetDouble());
  CHECK(document["step_time_us"].GetDouble() == document["step_time_p95_us"].GetDouble());
}

// Launches take 300 us, so that a simulated step's first kernel begins then.
TEST_CASE("compare: beside a measured step a simulated one begins at 0, on every rung") {
  const TemporaryFolder folder;
  const std::vector<std::string> launch = {"--set", "host.launch_us=300"};
  std::vector<std::string> simulate = {"simulate", "s.toml", "--out", "sim", "--json"};
  simulate.insert(simulate.end(), launch.begin(), launch.end());
  CHECK(run_here(folder, {"--kernels", "timed", "--out", "real", launch[0], launch[1]}).status ==
        0);
  const rapidjson::Document simulated = parsed(run_program(simulate, in(folder)).output);
  const double end_us = simulated["window"]["end_us"].GetDouble();
  CHECK(simulated["window"]["begin_us"].GetDouble() == 300);
  const rapidjson::Document compared =
      parsed(run_program({"compare", "sim", "real", "--json"}, in(folder)).output);
  CHECK(compared["step_time"]["predicted_us"].GetDouble() == end_us);
  CHECK(compared["ladder"][0]["step_time_us"].GetDouble() == end_us);
}

// Late receives of interleaved stages on one queue.
const std::vector<std::string> kHanging = {
    "--set", "pipeline.schedule=interleaved_1f1b", "--set", "pipeline.chunks_per_rank=2",
    "--set", "pipeline.micro_batches=4",           "--set", "pipeline.recv_placement=late"};

std::vector<std::string> with_hanging(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), kHanging.begin(), kHanging.end());
  return arguments;
}

// From the second paragraph on: when it stopped is another matter.
std::string after_first_line(const std::string& text) {
  return text.substr(std::min(text.find('\n'), text.size()));
}

TEST_CASE("run: what hangs ends at its deadline with the simulator's words, and status 3") {
  const TemporaryFolder folder;
  folder.write("s.toml", kScenario);
  const RunResult simulated = run_program(with_hanging({"simulate", "s.toml"}), in(folder));
  CHECK(simulated.status == 1);
  const RunResult run =
      run_here(folder, with_hanging({"--kernels", "timed", "--deadline", "0.3", "--out", "real"}));
  CHECK_FALSE(run.hung);
  CHECK(run.status == 3);
  REQUIRE(run.output.starts_with("Deadlock: "));
  CHECK(after_first_line(run.output) == after_first_line(simulated.output));
  CHECK(names_in(folder / "real") ==
        std::vector<std::string>{"scenario.toml", "schedule.steps", "summary.json"});
  CHECK(parsed(text_of_file(folder / "real" / "summary.json"))["deadlock"].IsObject());
}

TEST_CASE("run: what cannot be asked for is refused with status 2, and nothing is made") {
  const TemporaryFolder folder;
  struct Case {
    std::vector<std::string> options;
    std::string told;
  };
  const std::vector<Case> cases = {
      {{"--kernels", "fast"}, "--kernels"},
      {{"--backend", "tpu"}, "--backend"},
      {{"--repeat", "0"}, "--repeat"},
      {{"--repeat", "many"}, "--repeat"},
      {{"--warmup", "-1"}, "--warmup"},
      {{"--deadline", "0"}, "--deadline"},
      {{"--deadline", "nan"}, "--deadline"},
      {{"--set", "pipeline.ranks=0"}, "--set pipeline.ranks: error: "},
      {{"--set", "stage.output_bytes=\"100TiB\""}, "what the ranks send, receive and copy takes "},
      {{"--faster"}, "run has no option \"--faster\""},
      {{"s.toml", "again"}, "argument"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.told);
    std::vector<std::string> options = one.options;
    options.insert(options.end(), {"--out", "real"});
    const RunResult run = run_here(folder, options);
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    CHECK(run.errors.find(one.told) != std::string::npos);
    CHECK(std::count(run.errors.begin(), run.errors.end(), '\n') == 1);
  }
  CHECK(folder.names() == std::vector<std::string>{"s.toml"});
}

TEST_CASE("run: a signal in the middle leaves no folder, and the parent sees the signal") {
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    std::signal(signal, SIG_DFL);  // ignored, a child would ignore it too: nohup does so
    const TemporaryFolder folder;
    folder.write("s.toml", kScenario);
    RunRequest request = in(folder);
    pid_t started = -1;
    request.meanwhile = [&](pid_t process) {
      started = process;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));  // of some minutes
      kill(process, signal);
    };
    const RunResult run = run_program(
        {"run", "s.toml", "--kernels", "timed", "--repeat", "100000", "--out", "real"}, request);
    CHECK_FALSE(run.hung);
    CHECK(run.status == 128 + signal);
    CHECK(run.output.empty());
    CHECK(folder.names() == std::vector<std::string>{"s.toml"});
    CHECK(kill(started, 0) == -1);
  }
}

TEST_CASE("run: a full standard output is a failure of the machine") {
  const TemporaryFolder folder;
  folder.write("s.toml", kScenario);
  RunRequest full = in(folder);
  full.output_to = "/dev/full";
  const RunResult run = run_program({"run", "s.toml", "--kernels", "timed"}, full);
  CHECK(run.status == 3);
  CHECK(run.errors == "error: standard output: No space left on device\n");
}

// A disk of 8 KiB, where that may be mounted.
TEST_CASE("run --out: a full disk is a failure of the machine, and nothing is left") {
  const TemporaryFolder folder;
  folder.write("s.toml", kScenario);
  std::filesystem::create_directory(folder / "disk");
  const std::string disk = (folder / "disk").string();
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8k") != 0) {
    MESSAGE("skipped: a file system may not be mounted here");
    return;
  }
  const RunResult run =
      run_program({"run", "s.toml", "--kernels", "timed", "--out", "disk/real"}, in(folder));
  const std::vector<std::string> left = names_in(disk);
  CHECK(umount(disk.c_str()) == 0);
  CHECK(run.status == 3);
  CHECK(run.output.empty());
  CHECK(run.errors.find("No space left on device") != std::string::npos);
  CHECK(left.empty());
}

}  // namespace
}  // namespace steptwin
