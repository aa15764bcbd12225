#include "cli/run_folder.h"

#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <rapidjson/document.h>
#include <thread>
#include <unistd.h>

#include "model/error.h"
#include "tests/cli/run_program.h"

namespace steptwin {
namespace {

const std::vector<std::string> kRunFiles = {"host.csv",       "memory.csv",   "scenario.toml",
                                            "schedule.steps", "summary.json", "trace.csv",
                                            "trace.json"};
const std::string kNoRun = "holds files that are not of a run and will not be replaced";

std::vector<std::string> texts_of(const std::filesystem::path& folder) {
  std::vector<std::string> texts;
  for (const std::string& name : names_in(folder)) texts.push_back(text_of_file(folder / name));
  return texts;
}

RunResult simulate_to(const std::filesystem::path& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"simulate", scenario_path("pipeline_1f1b.toml"), "--out",
                                        out.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

bool is_json(const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.c_str(), text.size());
  return !document.HasParseError() && document.IsObject();
}

TEST_CASE("a run folder holds its seven files and nothing stays beside it") {
  const TemporaryFolder folder;
  const RunResult run = simulate_to(folder / "run");
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  CHECK(run.output.find("\nWritten to " + (folder / "run").string() + "\n") != std::string::npos);
  CHECK(folder.names() == std::vector<std::string>{"run"});
  CHECK(names_in(folder / "run") == kRunFiles);
  CHECK(is_json(text_of_file(folder / "run" / "trace.json")));
  CHECK(is_json(text_of_file(folder / "run" / "summary.json")));
}

TEST_CASE("summary.json is what --json prints") {
  const TemporaryFolder folder;
  const RunResult run = simulate_to(folder / "run", {"--json"});
  CHECK(run.output == text_of_file(folder / "run" / "summary.json"));
}

TEST_CASE("running a folder's scenario.toml again gives the same folder, byte by byte") {
  for (const std::string name :
       {"pipeline_1f1b.toml", "moe_overlap_hooks.toml", "early_receive.toml", "offload_fsdp.toml",
        "uneven_routing.toml", "published/zero_bubble_1_5b_m24.toml"}) {
    CAPTURE(name);
    const TemporaryFolder folder;
    const std::string first = (folder / "first").string();
    const std::string second = (folder / "second").string();
    CHECK(run_program({"simulate", scenario_path(name), "--out", first}).status == 0);
    CHECK(run_program({"simulate", first + "/scenario.toml", "--out", second}).status == 0);
    CHECK(texts_of(first) == texts_of(second));
  }
}

// A compute order: its transfers are in the run folder's schedule.
TEST_CASE("a run from a schedule file repeats from its own folder, without the file") {
  const TemporaryFolder folder;
  const std::string steps = folder.write("v.steps",
                                         "rank0: FWD(s0,m0) FWD(s3,m0) BWD(s3,m0) BWD(s0,m0)\n"
                                         "rank1: FWD(s1,m0) FWD(s2,m0) BWD(s2,m0) BWD(s1,m0)\n");
  const std::string scenario =
      folder.write("s.toml",
                   "[pipeline]\nranks = 2\nchunks_per_rank = 2\nmicro_batches = 1\n"
                   "schedule_file = \"v.steps\"\nrecv_placement = \"late\"\n"
                   "[stage]\nforward_us = 10\nbackward_input_us = 10\nbackward_weight_us = 10\n");
  const std::string first = (folder / "first").string();
  const std::string second = (folder / "second").string();
  const RunResult run = run_program({"simulate", scenario, "--out", first});
  CHECK(run.status == 0);
  CHECK(run.output.find("s.toml: v.steps, 2 ranks x 2 chunks, 1 micro-batch\n") !=
        std::string::npos);
  CHECK(text_of_file(first + "/schedule.steps").find("FWD_SEND(s0,m0)") != std::string::npos);
  std::filesystem::remove(steps);
  CHECK(run_program({"simulate", first + "/scenario.toml", "--out", second}).status == 0);
  CHECK(texts_of(first) == texts_of(second));
}

// What passes put into a file's schedule is in the run folder's, and they are not asked for again.
TEST_CASE("a schedule file that is sharded, offloaded or given boundaries repeats as well") {
  const TemporaryFolder folder;
  folder.write("o.steps",
               "rank0: FWD(s0,m0) FWD(s0,m1) FWD(s0,m2) FWD(s0,m3) BWD(s0,m0) BWD(s0,m1) "
               "BWD(s0,m2) BWD(s0,m3)\n"
               "rank1: FWD(s1,m0) FWD(s1,m1) FWD(s1,m2) FWD(s1,m3) BWD(s1,m0) BWD(s1,m1) "
               "BWD(s1,m2) BWD(s1,m3)\n");
  const std::string scenario =
      folder.write("s.toml",
                   "[pipeline]\nranks = 2\nmicro_batches = 4\nschedule_file = \"o.steps\"\n"
                   "[stage]\nforward_us = 10\nbackward_input_us = 10\nbackward_weight_us = 10\n"
                   "activation_bytes = \"1MiB\"\nparameter_bytes = \"1MiB\"\n"
                   "[network]\np2p_bandwidth = \"10GB/s\"\n"
                   "device_host = { bandwidth = \"100GB/s\" }\n");
  const std::vector<std::vector<std::string>> settings = {
      {"--set", "parallel.expert=2", "--set", "parallel.fsdp=true"},
      {"--set", "parallel.offload=true"}};
  for (const std::vector<std::string>& setting : settings) {
    CAPTURE(setting.back());
    const std::string first = (folder / ("first_" + setting.back())).string();
    const std::string second = (folder / ("second_" + setting.back())).string();
    std::vector<std::string> arguments = {"simulate", scenario, "--out", first};
    arguments.insert(arguments.end(), setting.begin(), setting.end());
    CHECK(run_program(arguments).status == 0);
    CHECK(run_program({"simulate", first + "/scenario.toml", "--out", second}).status == 0);
    CHECK(texts_of(first) == texts_of(second));
  }
}

TEST_CASE("what --set changed is in scenario.toml too") {
  const TemporaryFolder folder;
  const std::string first = (folder / "first").string();
  const std::string second = (folder / "second").string();
  CHECK(simulate_to(first, {"--set", "pipeline.micro_batches=12", "--set", "name=twelve", "--set",
                            "stage.forward_us=[1,2,3,4]"})
            .status == 0);
  CHECK(run_program({"simulate", first + "/scenario.toml", "--out", second}).status == 0);
  CHECK(texts_of(first) == texts_of(second));
  CHECK(text_of_file(folder / "first" / "schedule.steps").find("FWD(s0,m11)") != std::string::npos);
}

TEST_CASE("check reads schedule.steps and finds nothing") {
  const TemporaryFolder folder;
  CHECK(simulate_to(folder / "run").status == 0);
  const RunResult check = run_program({"check", (folder / "run" / "schedule.steps").string()});
  CHECK(check.status == 0);
  CHECK(check.output.starts_with("No findings: the schedule is complete and runs to its end.\n"));
}

TEST_CASE("an existing folder is refused and stays as it is") {
  const TemporaryFolder folder;
  CHECK(simulate_to(folder / "run").status == 0);
  const std::vector<std::string> before = texts_of(folder / "run");
  for (const std::string name : {"run", "run/", "./run/."}) {
    CAPTURE(name);
    const RunResult again = simulate_to(folder / name, {"--set", "pipeline.micro_batches=4"});
    CHECK(again.status == 2);
    CHECK(again.output.empty());
    CHECK(again.errors == (folder / "run").string() +
                              ": error: exists already; expected a new folder, or --force to "
                              "replace it\n");
    CHECK(texts_of(folder / "run") == before);
    CHECK(folder.names() == std::vector<std::string>{"run"});
  }
}

TEST_CASE("--force replaces the folder of an earlier run, and one that is empty") {
  const TemporaryFolder folder;
  CHECK(simulate_to(folder / "run").status == 0);
  CHECK(simulate_to(folder / "four", {"--set", "pipeline.micro_batches=4"}).status == 0);
  const RunResult again =
      simulate_to(folder / "run/", {"--force", "--set", "pipeline.micro_batches=4"});
  CHECK(again.status == 0);
  CHECK(texts_of(folder / "run") == texts_of(folder / "four"));

  std::filesystem::create_directory(folder / "empty");
  CHECK(simulate_to(folder / "empty", {"--force"}).status == 0);
  CHECK(names_in(folder / "empty") == kRunFiles);
  CHECK(folder.names() == std::vector<std::string>{"empty", "four", "run"});
}

TEST_CASE("a folder with anything else in it is never replaced") {
  const TemporaryFolder folder;
  const auto refused = [&folder](const std::string& name) {
    const RunResult run = simulate_to(folder / name, {"--force"});
    CHECK(run.status == 2);
    CHECK(run.errors.find(kNoRun) != std::string::npos);
    CHECK(run.output.empty());
  };
  CHECK(simulate_to(folder / "notes").status == 0);
  folder.write("notes/notes.txt", "mine");
  refused("notes");
  CHECK(text_of_file(folder / "notes" / "notes.txt") == "mine");
  CHECK(names_in(folder / "notes").size() == kRunFiles.size() + 1);

  // A folder, or a link, of the name of a file of ours.
  std::filesystem::create_directories(folder / "nested" / "trace.csv");
  folder.write("nested/trace.csv/precious.txt", "mine");
  refused("nested");
  CHECK(text_of_file(folder / "nested" / "trace.csv" / "precious.txt") == "mine");
  std::filesystem::create_directory(folder / "linked");
  std::filesystem::create_symlink(folder / "notes" / "notes.txt", folder / "linked" / "trace.csv");
  refused("linked");
  CHECK(folder.names() == std::vector<std::string>{"linked", "nested", "notes"});
}

TEST_CASE("--out where a file or a link is, or where no folder can be made") {
  const TemporaryFolder folder;
  folder.write("file", "mine");
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_symlink(folder / "real", folder / "link");
  struct Case {
    std::string path;
    std::vector<std::string> options;
    std::string wrong;
  };
  const std::string here = folder.path().string();
  const std::vector<Case> cases = {
      {here + "/file", {}, "/file: error: exists already"},
      {here + "/file", {"--force"}, "/file: error: is not a folder"},
      {here + "/link", {}, "/link: error: exists already"},
      {here + "/link", {"--force"}, "/link: error: is not a folder"},
      {here + "/link/", {"--force"}, "/link: error: is not a folder"},
      {here + "/file/run", {}, "/file/run: error: cannot be made: Not a directory"},
      {here + "/no/run", {}, "/no/run: error: cannot be made: No such file or directory"},
      {here + "/" + std::string(300, 'x'), {}, "error: cannot be made: File name too long"},
      {"/proc/run", {}, "/proc/run: error: cannot be made: "},
      {"/", {}, "/: error: exists already"},
      {"/", {"--force"}, "/: error: " + kNoRun},
      {".", {"--force"}, ".: error: " + kNoRun},
  };
  for (const Case& one : cases) {
    CAPTURE(one.path);
    const RunResult run = simulate_to(one.path, one.options);
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    CHECK(run.errors.find(one.wrong) != std::string::npos);
    CHECK(run.errors.find("; expected ") != std::string::npos);
  }
  CHECK(folder.names() == std::vector<std::string>{"file", "link", "real"});
  CHECK(text_of_file(folder / "file") == "mine");
  CHECK(names_in(folder / "real").empty());
}

TEST_CASE("a run that fails leaves nothing") {
  const TemporaryFolder folder;
  const RunResult bad = simulate_to(folder / "run", {"--set", "pipeline.ranks=0"});
  CHECK(bad.status == 2);
  const RunResult rule = simulate_to(folder / "run", {"--set", "pipeline.chunks_per_rank=2"});
  CHECK(rule.status == 2);
  CHECK(folder.names().empty());
}

TEST_CASE("what came to be there during the run is kept") {
  const TemporaryFolder folder;
  for (const bool force : {false, true}) {
    CAPTURE(force);
    const std::string name = force ? "forced" : "plain";
    {
      cli::RunFolder run((folder / name).string(), force);
      run.write("trace.csv", "ours");
      std::filesystem::create_directory(folder / name);
      folder.write(name + "/notes.txt", "mine");
      CHECK_THROWS_AS(run.commit(), Error);
    }
    CHECK(text_of_file(folder / name / "notes.txt") == "mine");
  }
  CHECK(folder.names() == std::vector<std::string>{"forced", "plain"});
}

// Runs for some tenths of a second once its folder is there, and calls `meanwhile` then.
RunResult long_run(const TemporaryFolder& folder, const std::function<void(pid_t)>& meanwhile) {
  RunRequest request;
  request.meanwhile = [&](pid_t process) {
    const auto unfinished = folder / ("run.unfinished." + std::to_string(process));
    for (int waited_ms = 0; !std::filesystem::exists(unfinished); ++waited_ms) {
      REQUIRE(waited_ms < kMostSeconds * 1000);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    meanwhile(process);
  };
  return run_program({"simulate", scenario_path("pipeline_1f1b.toml"), "--set", "pipeline.ranks=64",
                      "--set", "pipeline.micro_batches=256", "--out", (folder / "run").string()},
                     request);
}

TEST_CASE("a run that a signal ends leaves nothing, and its parent sees the signal") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    std::signal(signal, SIG_DFL);  // ignored, a child would ignore it too: nohup does so
    const TemporaryFolder folder;
    const RunResult run = long_run(folder, [signal](pid_t process) { kill(process, signal); });
    CHECK(run.status == 128 + signal);
    CHECK(run.output.empty());
    CHECK(folder.names().empty());
  }
}

TEST_CASE("what a killed run has left goes when the next one writes to the same place") {
  const TemporaryFolder folder;
  CHECK(long_run(folder, [](pid_t process) { kill(process, SIGKILL); }).status == 128 + SIGKILL);
  REQUIRE(folder.names().size() == 1);
  CHECK(folder.names()[0].starts_with("run.unfinished."));
  CHECK(simulate_to(folder / "other").status == 0);
  CHECK(folder.names().size() == 2);
  CHECK(simulate_to(folder / "run").status == 0);
  CHECK(folder.names() == std::vector<std::string>{"other", "run"});
}

// No process has a number beyond pid_max, which is 2^22 at most; number 1 always lives.
TEST_CASE("of what stands beside a new folder only what dead runs have left is removed") {
  const TemporaryFolder folder;
  const std::string own = "run.unfinished." + std::to_string(getpid());
  for (const std::string name :
       {"run.unfinished.4194305", "run.unfinished.1", "run.unfinished.4194306",
        "run.unfinished.x4194305", "run.unfinished.-1", "run.unfinished.99999999999",
        "run.unfinished.", "runs.unfinished.4194305", "run.replaced.4194305"}) {
    std::filesystem::create_directory(folder / name);
  }
  std::filesystem::create_directory(folder / own);
  folder.write("run.unfinished.4194305/trace.csv", "half");
  folder.write("run.unfinished.4194306/notes.txt", "mine");
  folder.write("run.unfinished.4194307", "a file");
  {
    cli::RunFolder run((folder / "run").string(), false);
    CHECK(names_in(folder / own).empty());
  }
  CHECK(folder.names() ==
        std::vector<std::string>{"run.replaced.4194305", "run.unfinished.", "run.unfinished.-1",
                                 "run.unfinished.1", "run.unfinished.4194306",
                                 "run.unfinished.4194307", "run.unfinished.99999999999",
                                 "run.unfinished.x4194305", "runs.unfinished.4194305"});
}

TEST_CASE("a full disk is a failure of the machine, a reader that has gone is none") {
  const std::string file = scenario_path("pipeline_1f1b.toml");
  const std::vector<std::vector<std::string>> prints = {
      {"--help"},
      {"--version"},
      {"lower", "--help"},
      {"simulate", file},
      {"simulate", file, "--json"},
      {"simulate", file, "--timeline"},
      {"schedule", file},
      {"schedule", file, "--format", "grid"},
      {"lower", file},
      {"check", file},
  };
  for (const std::vector<std::string>& arguments : prints) {
    CAPTURE(arguments.front());
    RunRequest full;
    full.output_to = "/dev/full";
    const RunResult run = run_program(arguments, full);
    CHECK(run.status == 3);
    CHECK(run.errors == "error: standard output: No space left on device\n");
    RunRequest gone;
    gone.reader_gone = true;
    const RunResult piped = run_program(arguments, gone);
    CHECK(piped.status == 0);
    CHECK(piped.errors.empty());
  }
}

}  // namespace
}  // namespace steptwin
