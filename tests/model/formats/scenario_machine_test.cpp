#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "model/formats/machine_toml.h"
#include "model/formats/scenario_toml.h"
#include "tests/scratch_folder.h"

namespace steptwin {
namespace {

const std::string kScenario =
    "[pipeline]\nranks = 2\nmicro_batches = 2\nschedule = \"gpipe\"\n"
    "[stage]\nforward_us = 1\nbackward_input_us = 1\nbackward_weight_us = 1\n";  // 8 lines

std::string machine_file() {
  Machine machine;
  machine.launch.us = 12.5;
  return machine_text(machine) + "# as measured\n";
}

TEST_CASE("[machine]: the file is read from the scenario's folder, and kept as it is") {
  const ScratchFolder folder;
  const std::string path = folder.write("m.toml", machine_file());
  const std::string file = folder / "s.toml";
  const Scenario scenario = read_scenario(kScenario + "[machine]\nfile = \"m.toml\"\n", file);
  CHECK(scenario.machine.given);
  CHECK(scenario.machine.machine.launch.us == 12.5);
  CHECK(scenario.machine.kernels == MachineKernels::real);
  CHECK(scenario.machine.text == machine_file());
  const Scenario timed = read_scenario(
      kScenario + "[machine]\nkernels = \"timed\"\nfile = \"" + path + "\"\n", "elsewhere.toml");
  CHECK(timed.machine.kernels == MachineKernels::timed);
  CHECK(timed.machine.machine.launch.us == 12.5);
  CHECK_FALSE(read_scenario(kScenario, file).machine.given);
  CHECK(read_scenario(kScenario, file, {"machine.file=m.toml"}).machine.given);
}

TEST_CASE("[machine]: the scenario written out names the copy of the file beside it") {
  const ScratchFolder folder;
  folder.write("m.toml", machine_file());
  const Scenario scenario = read_scenario(
      kScenario + "[machine]\nfile = \"m.toml\"\nkernels = \"timed\"\n", folder / "s.toml");
  const std::string text = scenario_text(scenario);
  CHECK(text.ends_with("\n[machine]\nfile = \"machine.toml\"\nkernels = \"timed\"\n"));
  folder.write("machine.toml", scenario.machine.text);
  const Scenario again = read_scenario(text, folder / "scenario.toml");
  CHECK(scenario_text(again) == text);
  CHECK(again.machine.text == scenario.machine.text);
  CHECK(scenario_text(read_scenario(kScenario, "s.toml")).find("machine") == std::string::npos);
}

TEST_CASE("[machine]: what is wrong is told where it is") {
  const ScratchFolder folder;
  const std::string machine = folder.write("m.toml", machine_file());
  const std::string bad = folder.write("bad.toml", "name = 3\n");
  const std::string file = folder / "s.toml";
  const auto error_of = [&](const std::string& section) -> std::string {
    try {
      (void)read_scenario(kScenario + section, file);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string named = "[machine]\nfile = \"m.toml\"\n";
  CHECK(error_of(named).empty());
  CHECK(error_of("[machine]\n").starts_with(file + ":9:1: error: "));
  CHECK(error_of("[machine]\nkernels = \"real\"\n").starts_with(file + ":9:1: error: "));
  CHECK(error_of("[machine]\nfile = 3\n")
            .starts_with(file + ":10:8: error: machine.file is 3; expected the name of a machine"));
  CHECK(error_of("[machine]\nfile = \"no.toml\"\n") ==
        file + ":10:8: error: cannot read " + (folder / "no.toml") +
            "; expected the name of a machine file, as steptwin calibrate writes it");
  CHECK(error_of("[machine]\nfile = \"bad.toml\"\n").starts_with(bad + ":1:8: error: name is 3"));
  CHECK(error_of(named + "kernels = \"cuda\"\n")
            .starts_with(file + ":11:11: error: machine.kernels is \"cuda\"; expected "));
  CHECK(error_of(named + "cores = 3\n").starts_with(file + ":11:1: error: unknown key \"cores\""));
}

TEST_CASE("[machine]: what its kernels lose is not said twice") {
  const ScratchFolder folder;
  folder.write("m.toml", machine_file());
  const auto error_of = [&](const std::string& keys, const std::string& kernels) -> std::string {
    try {
      (void)read_scenario(kScenario + "[machine]\nfile = \"m.toml\"\nkernels = \"" + kernels +
                              "\"\n[contention]\n" + keys,
                          folder / "s.toml");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string because =
      " has no effect because machine.file says what its kernels lose; expected the key removed, "
      "or machine.kernels = \"timed\"";
  for (const std::string key : {"compute_loss", "comm_loss"}) {
    CHECK(error_of(key + " = 0.5\n", "real").ends_with("contention." + key + because));
    CHECK(error_of(key + " = 0.5\n", "timed").empty());
    CHECK(error_of(key + " = 0\n", "real").empty());
  }
  CHECK(error_of("host_cores = 2\n", "real").ends_with("contention.host_cores" + because));
  CHECK(error_of("share_ports = true\n", "real").empty());
}

}  // namespace
}  // namespace steptwin
