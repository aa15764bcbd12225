#include <fmt/format.h>

#include "model/costs.h"
#include "model/formats/named_file.h"
#include "model/formats/quoted_text.h"
#include "model/formats/scenario_sections.h"
#include "model/formats/stage_costs_csv.h"

namespace steptwin {
namespace {

const std::vector<std::string_view> kStageKeys = {
    "forward_us",  "backward_input_us", "backward_weight_us", "file",   "activation_bytes",
    "input_share", "parameter_bytes",   "output_bytes",       "outputs"};

// A value for all stages, or a list of one per stage.
template <typename Value, typename Read>
std::vector<Value> values_of(const TomlValue& value, std::int32_t stages, Read read) {
  if (!is_array(value)) return {read(value)};
  if (size_of(value) != static_cast<std::size_t>(stages)) {
    refuse(value, fmt::format("one value, or a list of {}, one per stage", stages));
  }
  std::vector<Value> values;
  for (std::size_t stage = 0; stage < size_of(value); ++stage) {
    values.push_back(read(item_of(value, stage)));
  }
  return values;
}

std::vector<double> durations_of(const TomlTable& section, std::string_view key_us,
                                 std::int32_t stages) {
  const auto found = find_duration(section, key_us);
  if (!found) require(section, key_us, "a duration for all stages, or a list of one per stage");
  return values_of<double>(found->value, stages, [&found](const TomlValue& value) {
    return duration_us_of(value, found->us_per_unit);
  });
}

void read_sizes(const TomlTable& section, std::string_view key, std::int32_t stages,
                std::vector<Bytes>& into) {
  if (const auto value = find(section, key)) into = values_of<Bytes>(*value, stages, bytes_of);
}

// The columns of the file, which no key may repeat.
void read_stage_file(const TomlTable& section, const TomlValue& value, Scenario& scenario) {
  const std::string name = text_of(value, "the name of a CSV file");
  StageCostColumns costs =
      read_stage_costs_file(path_beside(scenario.file, name), value.position, scenario.stages());
  StageKeys& keys = scenario.stage;
  const auto refuse_key = [&section, &name](const std::optional<TomlValue>& given) {
    if (!given) return;
    throw Error(given->position,
                fmt::format("{} and {} of {} are both given", given->name, quoted_text(name),
                            section.name + ".file"),
                "one of them");
  };
  const auto take_times = [&](std::string_view key_us, std::vector<double>& column,
                              std::vector<double>& into) {
    if (const auto given = find_duration(section, key_us)) refuse_key(given->value);
    into = std::move(column);
  };
  const auto take_sizes = [&](std::string_view key, std::vector<Bytes>& column,
                              std::vector<Bytes>& into) {
    if (column.empty()) return read_sizes(section, key, scenario.stages(), into);
    refuse_key(find(section, key));
    if (key == "output_bytes") refuse_key(find(section, "outputs"));
    into = std::move(column);
  };
  take_times("forward_us", costs.forward_us, keys.forward_us);
  take_times("backward_input_us", costs.backward_input_us, keys.backward_input_us);
  take_times("backward_weight_us", costs.backward_weight_us, keys.backward_weight_us);
  take_sizes("activation_bytes", costs.activation_bytes, keys.activation_bytes);
  take_sizes("parameter_bytes", costs.parameter_bytes, keys.parameter_bytes);
  take_sizes("output_bytes", costs.output_bytes, keys.output_bytes);
}

void read_stage(const TomlTable& section, Scenario& scenario) {
  StageKeys& keys = scenario.stage;
  keys.given = true;
  const std::int32_t stages = scenario.stages();
  if (const auto file = find(section, "file")) {
    read_stage_file(section, *file, scenario);
    return;
  }
  keys.forward_us = durations_of(section, "forward_us", stages);
  keys.backward_input_us = durations_of(section, "backward_input_us", stages);
  keys.backward_weight_us = durations_of(section, "backward_weight_us", stages);
  read_sizes(section, "activation_bytes", stages, keys.activation_bytes);
  read_sizes(section, "parameter_bytes", stages, keys.parameter_bytes);
  read_sizes(section, "output_bytes", stages, keys.output_bytes);
}

// [stage] beside [layers]: what the layers do not say, the sizes that memory is counted from.
void read_stage_sizes(const TomlTable& section, Scenario& scenario) {
  const auto refuse_key = [](const std::optional<TomlValue>& given) {
    if (!given) return;
    throw Error(given->position, fmt::format("{} and [layers] are both given", given->name),
                "one source of costs: [layers], or the times of [stage]");
  };
  for (const std::string_view key : {"forward_us", "backward_input_us", "backward_weight_us"}) {
    if (const auto given = find_duration(section, key)) refuse_key(given->value);
  }
  refuse_key(find(section, "file"));
  refuse_key(find(section, "output_bytes"));
  read_sizes(section, "activation_bytes", scenario.stages(), scenario.stage.activation_bytes);
  read_sizes(section, "parameter_bytes", scenario.stages(), scenario.stage.parameter_bytes);
}

}  // namespace

void read_costs(const TomlTable& document, Scenario& scenario) {
  const auto stage = find_table(document, "stage");
  const auto layers = find_table(document, "layers");
  if (!stage && !layers) {
    throw Error(document.position, "no costs", "[stage] or [layers]");
  }
  if (stage) {
    refuse_unknown_keys(*stage, kStageKeys);
    read_number(*stage, "input_share", 0, 1, scenario.stage.input_share);
    read_outputs(*stage, scenario);
  }
  if (!layers) {
    read_stage(*stage, scenario);
    return;
  }
  if (stage) read_stage_sizes(*stage, scenario);
  if (const auto bytes = find(*layers, "output_bytes"); bytes && !scenario.stage.outputs.empty()) {
    throw Error(bytes->position, "layers.output_bytes and stage.outputs are both given",
                "one of them");
  }
  read_layers(*layers, scenario);
}

}  // namespace steptwin
