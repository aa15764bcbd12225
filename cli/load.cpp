#include "cli/load.h"

#include "cli/files.h"
#include "model/formats/scenario_toml.h"
#include "model/size_limit.h"

namespace steptwin::cli {

Scenario load_scenario(const Options& options) {
  Scenario scenario = read_scenario(read_file(options.input), options.input, options.sets);
  refuse_if_too_large(scenario);
  return scenario;
}

}  // namespace steptwin::cli
