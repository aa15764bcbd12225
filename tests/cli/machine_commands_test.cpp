#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include "model/formats/machine_toml.h"
#include "tests/cli/run_program.h"

// `steptwin calibrate` and `steptwin validate`, whatever the machine is like.
namespace steptwin {
namespace {

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

rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.c_str(), text.size());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

TEST_CASE("calibrate: a machine file that reads back; a noisy machine is a finding") {
  const TemporaryFolder folder;
  const RunResult run =
      run_program({"calibrate", "--effort", "0.05", "--machine", "m.toml"}, in(folder));
  const Machine machine = read_machine(text_of_file(folder / "m.toml"), "m.toml");
  CHECK(run.status == (machine.noise.empty() ? 0 : 1));
  CHECK(run.errors.empty());
  CHECK(run.output.find("Written to m.toml\n") != std::string::npos);
  CHECK(machine.cores > 0);
  CHECK(machine.effective_cores > 0);
  CHECK(machine.product.per_second > 0);
  CHECK(machine.product.samples > 0);
  CHECK(machine.launch.samples > 0);
  CHECK(machine_text(machine) == text_of_file(folder / "m.toml"));

  const RunResult again = run_program({"calibrate", "--machine", "m.toml"}, in(folder));
  CHECK(again.status == 2);
  CHECK(again.errors.starts_with("m.toml: error: exists"));
  CHECK(machine_text(machine) == text_of_file(folder / "m.toml"));
  CHECK(run_program({"calibrate", "--effort", "0.01"}, in(folder)).status == 2);
  const RunResult nowhere = run_program({"calibrate", "--machine", "no/m.toml"}, in(folder));
  CHECK(nowhere.status == 2);
  CHECK(nowhere.errors.starts_with("no/m.toml: error: cannot be made"));
  CHECK(folder.names() == std::vector<std::string>{"m.toml"});
}

// A machine of no costs but for timed kernels that end so much late.
std::string machine_late_by(double us) {
  Machine machine;
  machine.name = "made up";
  machine.date = "2026-11-30";
  machine.cores = 1;
  machine.lateness.us = us;
  machine.product.per_second = 1e9;
  return machine_text(machine);
}

TEST_CASE("validate: one scenario, measured and simulated on a machine file") {
  const TemporaryFolder folder;
  folder.write("s.toml", kScenario);
  folder.write("m.toml", machine_late_by(0));
  const RunResult run = run_program({"validate", "s.toml", "--kernels", "timed", "--machine",
                                     "m.toml", "--repeat", "1", "--json"},
                                    in(folder));
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  const rapidjson::Document document = parsed(run.output);
  REQUIRE(document["cases"].Size() == 1);
  const rapidjson::Value& only = document["cases"][0];
  CHECK(only["name"].GetString() == std::string("s.toml"));
  CHECK(only["simulated_us"].GetDouble() == 4'700);
  CHECK(only["measured_us"].GetDouble() >= 4'700);
  CHECK(only["measured_bare_us"].GetDouble() >= 4'700);
  CHECK(only["error"].GetDouble() <= 0);
  CHECK(document["pairs"].GetInt() == 0);
}

TEST_CASE("validate: an error above the limit is a finding") {
  const TemporaryFolder folder;
  folder.write("s.toml", kScenario);
  folder.write("m.toml", machine_late_by(1e8));  // 100 s for each kernel
  const std::vector<std::string> arguments = {"validate", "s.toml", "--kernels", "timed",
                                              "--repeat", "1",      "--machine", "m.toml"};
  const RunResult free = run_program(arguments, in(folder));
  CHECK(free.status == 0);
  CHECK(free.output.find("made up, 1 cores, host backend, 2026-11-30\n") == 0);
  CHECK(free.output.find("error of the step time") != std::string::npos);
  std::vector<std::string> limited = arguments;
  limited.insert(limited.end(), {"--max-error", "50"});
  CHECK(run_program(limited, in(folder)).status == 1);
}

TEST_CASE("validate: settings from a file, each with its keys and its scenario") {
  const TemporaryFolder folder;
  folder.write("s.toml", kScenario);
  folder.write("m.toml", machine_late_by(0));
  folder.write("cases.toml",
               "[[case]]\nname = \"as it is\"\nset = []\n"
               "[[case]]\nname = \"more\"\nset = [\"pipeline.micro_batches=3\"]\n"
               "[[case]]\nname = \"other\"\nscenario = \"other.toml\"\nset = []\n");
  folder.write("other.toml", kScenario + "[host]\nthreads = \"one\"\n");
  const RunResult run = run_program({"validate", "s.toml", "--cases", "cases.toml", "--kernels",
                                     "timed", "--machine", "m.toml", "--repeat", "1", "--json"},
                                    in(folder));
  CHECK(run.status == 0);
  const rapidjson::Document document = parsed(run.output);
  REQUIRE(document["cases"].Size() == 3);
  CHECK(document["cases"][0]["simulated_us"].GetDouble() == 4'700);
  CHECK(document["cases"][1]["name"].GetString() == std::string("more"));
  CHECK(document["cases"][1]["simulated_us"].GetDouble() == 6'200);
  CHECK(document["cases"][2]["simulated_us"].GetDouble() == 4'700);
}

TEST_CASE("validate: bad input is told where it is, before anything is measured") {
  const TemporaryFolder folder;
  folder.write("s.toml", kScenario);
  folder.write("m.toml", machine_late_by(0));
  folder.write("bad.toml", "[[case]]\nname = \"x\"\nset = [\"pipeline.rank=3\"]\n");
  folder.write("half.toml", "name = \"x\"\n");
  const auto errors_of = [&folder](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"validate", "s.toml", "--kernels", "timed"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const RunResult run = run_program(arguments, in(folder));
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    return run.errors;
  };
  CHECK(errors_of({"--machine", "no.toml"}).starts_with("no.toml: error: cannot be read"));
  CHECK(errors_of({"--machine", "half.toml"}).starts_with("half.toml:1:1: error: "));
  CHECK(errors_of({"--cases", "bad.toml"})
            .starts_with("bad.toml:2:8: error: in \"x\": --set pipeline.rank: "));
  CHECK(errors_of({"--cases", "s.toml"}).starts_with("s.toml:1:"));
  CHECK(errors_of({"--machine", "m.toml", "--set", "pipeline.schedule=interleaved_1f1b", "--set",
                   "pipeline.chunks_per_rank=2", "--set", "pipeline.micro_batches=4", "--set",
                   "pipeline.recv_placement=late"})
            .starts_with("error: s.toml does not come to its end: rank 0 "));
}

}  // namespace
}  // namespace steptwin
