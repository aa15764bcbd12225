#include "model/formats/machine_toml.h"
#include "model/formats/named_file.h"
#include "model/formats/scenario_sections.h"
#include "model/formats/scenario_words.h"

namespace steptwin {

void read_machine_keys(const TomlTable& section, Scenario& scenario) {
  refuse_unknown_keys(section, {"file", "kernels"});
  constexpr const char* kExpected = "the name of a machine file, as steptwin calibrate writes it";
  const TomlValue file = require(section, "file", kExpected);
  const std::string path = path_beside(scenario.file, text_of(file, kExpected));
  MachineKeys& keys = scenario.machine;
  keys.given = true;
  keys.text = read_named_file(path, file.position, kMostTomlBytes, kExpected);
  keys.machine = read_machine(keys.text, path);
  read_word(section, "kernels", kMachineKernels, keys.kernels);
}

}  // namespace steptwin
