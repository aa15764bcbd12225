#include "cli/scenario_input.h"

#include <string_view>
#include <vector>

#include "cli/files.h"
#include "model/error.h"
#include "model/formats/scenario_toml.h"
#include "model/formats/toml_document.h"
#include "model/scenario_schedule.h"
#include "model/size_limit.h"

namespace steptwin::cli {
namespace {

constexpr std::string_view kSet = "--set ";

// Messages name a key of [pipeline] with its section or, where a builder of schedules says what is
// wrong, without it.
bool begins_with_key(std::string_view message, std::string_view key) {
  constexpr std::string_view kPipeline = "pipeline.";
  const auto begins = [message](std::string_view name) {
    return message.starts_with(name) && message.size() > name.size() &&
           std::string_view(" .[").find(message[name.size()]) != std::string_view::npos;
  };
  return begins(key) || (key.starts_with(kPipeline) && begins(key.substr(kPipeline.size())));
}

}  // namespace

ScenarioInput::ScenarioInput(const Options& options)
    : options_(options), text_(read_file(options.input, kMostTomlBytes)) {
  try {
    scenario_ = read(options.sets.size());
  } catch (const Error& error) {
    rethrow_at_set(error, [](const Scenario&) {});
  }
}

Schedule ScenarioInput::schedule() const {
  try {
    return make_schedule(scenario_);
  } catch (const Error& error) {
    rethrow_at_set(error, [](const Scenario& scenario) { make_schedule(scenario); });
  }
}

Scenario ScenarioInput::read(std::size_t sets) const {
  const auto end = options_.sets.begin() + static_cast<std::ptrdiff_t>(sets);
  Scenario scenario = read_scenario(text_, options_.input, {options_.sets.begin(), end});
  refuse_if_too_large(scenario);
  return scenario;
}

// The one to blame is the one that the message is about; where it is about none of them, the first
// after as many as are right together.
void ScenarioInput::rethrow_at_set(const Error& error, const Work& work) const {
  const std::string& file = error.position().file;
  if (file != options_.input && !file.starts_with(kSet)) throw error;
  for (const std::string& set : options_.sets) {
    const SourcePosition position = position_of_override(set);
    const std::string_view key = std::string_view(position.file).substr(kSet.size());
    if (begins_with_key(error.wrong(), key)) throw Error(position, error.wrong(), error.expected());
  }
  for (std::size_t sets = options_.sets.size(); sets-- > 0;) {
    try {
      work(read(sets));
    } catch (const Error&) {
      continue;
    }
    throw Error(position_of_override(options_.sets[sets]), error.wrong(), error.expected());
  }
  throw error;
}

}  // namespace steptwin::cli
