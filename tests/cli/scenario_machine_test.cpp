#include <doctest/doctest.h>
#include <filesystem>
#include <rapidjson/document.h>

#include "model/formats/machine_toml.h"
#include "tests/cli/run_program.h"

// A scenario on a machine: what simulate, schedule, run and compare make of [machine].
namespace steptwin {
namespace {

// 3 forwards, 3 backwards and 2 hops one after the other.
const std::string kScenario =
    "[pipeline]\nranks = 2\nmicro_batches = 2\nschedule = \"gpipe\"\n"
    "[stage]\nforward_us = 500\nbackward_input_us = 500\nbackward_weight_us = 500\n"
    "[network]\np2p_latency_us = 100\n"
    "[machine]\nfile = \"machines/m.toml\"\nkernels = \"timed\"\n";

// Kernels end 10 us late; there is a core for each rank.
void write_files(const TemporaryFolder& folder) {
  Machine machine;
  machine.lateness.us = 10;
  machine.effective_cores = 2;
  std::filesystem::create_directory(folder / "machines");
  folder.write("machines/m.toml", machine_text(machine) + "# mine\n");
  folder.write("s.toml", kScenario);
}

RunRequest in(const std::filesystem::path& path) {
  RunRequest request;
  request.folder = path;
  request.environment = {"COLUMNS=90"};
  return request;
}

bool says_step(const RunResult& run, const std::string& duration) {
  return run.status == 0 && run.output.find("step time    " + duration) != std::string::npos;
}

TEST_CASE("simulate: on the machine, and its folder works wherever it is moved") {
  const TemporaryFolder folder;
  write_files(folder);
  CHECK(says_step(run_program({"simulate", "s.toml"}, in(folder.path())), " 4.76 ms"));
  CHECK(says_step(
      run_program({"simulate", "s.toml", "--set", "machine.kernels=real"}, in(folder.path())),
      "  4.5 ms"));
  CHECK(run_program({"simulate", "s.toml", "--out", "run", "--quiet"}, in(folder.path())).status ==
        0);
  CHECK(names_in(folder / "run") ==
        std::vector<std::string>{"host.csv", "machine.toml", "memory.csv", "scenario.toml",
                                 "schedule.steps", "summary.json", "trace.csv", "trace.json"});
  CHECK(text_of_file(folder / "run" / "machine.toml") ==
        text_of_file(folder / "machines" / "m.toml"));
  const TemporaryFolder elsewhere;
  std::filesystem::rename(folder / "run", elsewhere / "moved");
  std::filesystem::remove_all(folder / "machines");
  CHECK(run_program({"simulate", "moved/scenario.toml", "--out", "again", "--quiet"},
                    in(elsewhere.path()))
            .status == 0);
  for (const std::string& name : names_in(elsewhere / "moved")) {
    CAPTURE(name);
    CHECK(text_of_file(elsewhere / "again" / name) == text_of_file(elsewhere / "moved" / name));
  }
  CHECK(run_program({"simulate", "moved/scenario.toml", "--out", "again", "--force", "--quiet"},
                    in(elsewhere.path()))
            .status == 0);
}

TEST_CASE("compare: the first rung is what the machine was to take") {
  const TemporaryFolder folder;
  write_files(folder);
  CHECK(run_program({"simulate", "s.toml", "--out", "sim", "--quiet"}, in(folder.path())).status ==
        0);
  CHECK(run_program({"run", "s.toml", "--kernels", "timed", "--out", "real", "--quiet"},
                    in(folder.path()))
            .status == 0);
  CHECK(names_in(folder / "real") == names_in(folder / "sim"));
  const RunResult run = run_program({"compare", "sim", "real", "--json"}, in(folder.path()));
  CHECK(run.status == 0);
  rapidjson::Document document;
  document.Parse(run.output.c_str(), run.output.size());
  REQUIRE_FALSE(document.HasParseError());
  REQUIRE(document["ladder"].Size() == 5);
  CHECK(document["ladder"][0]["step_time_us"].GetDouble() == 4'760);
}

TEST_CASE("schedule --format grid: time is the machine's") {
  const TemporaryFolder folder;
  write_files(folder);
  const RunResult run = run_program({"schedule", "s.toml", "--format", "grid"}, in(folder.path()));
  CHECK(run.status == 0);
  CHECK(run.output.find("4.76 ms") != std::string::npos);
}

}  // namespace
}  // namespace steptwin
