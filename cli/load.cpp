#include "cli/load.h"

#include "cli/files.h"
#include "model/formats/scenario_toml.h"
#include "model/formats/toml_document.h"
#include "model/size_limit.h"

namespace steptwin::cli {

Scenario load_scenario(const Options& options) {
  const std::string text = read_file(options.input, kMostTomlBytes);
  Scenario scenario = read_scenario(text, options.input, options.sets);
  refuse_if_too_large(scenario);
  return scenario;
}

}  // namespace steptwin::cli
