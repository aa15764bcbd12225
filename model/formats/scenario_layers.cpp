#include <algorithm>
#include <fmt/format.h>

#include "model/formats/scenario_sections.h"
#include "model/formats/scenario_words.h"

namespace steptwin {
namespace {

const std::vector<std::string_view> kKeys = {
    "per_stage",    "attention_us",  "experts_us", "dispatch_us",  "dispatch_bytes",
    "combine_us",   "combine_bytes", "counts_us",  "counts_bytes", "mlp_us",
    "embedding_us", "head_us",       "launches",   "output_bytes"};

using Layers = std::vector<LayerKind>;

constexpr std::string_view kPerStage =
    "a number of moe layers, a list of one per stage, a list of \"moe\" and \"dense\", or a list "
    "of such a list per stage";

// Reads per_stage; the forms are in scenario_toml.h. `left` counts down what kMostLayers allows.
class LayerLists {
 public:
  LayerLists(const TomlValue& per_stage, std::int32_t stages)
      : per_stage_(per_stage), stages_(static_cast<std::size_t>(stages)) {}

  std::vector<Layers> read() {
    if (!is_array(per_stage_)) return same_for_all(moe_layers(per_stage_));
    if (size_of(per_stage_) == 0) refuse(per_stage_, std::string(kPerStage));
    const TomlValue first = item_of(per_stage_, 0);
    if (first.node->is_string()) return same_for_all(named_layers(per_stage_));
    if (size_of(per_stage_) != stages_) {
      refuse(per_stage_, fmt::format("a list of {}, one per stage", stages_));
    }
    std::vector<Layers> all;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
      const TomlValue item = item_of(per_stage_, stage);
      all.push_back(is_array(first) ? named_layers(item) : moe_layers(item));
      count(static_cast<std::int64_t>(all.back().size()));
    }
    return all;
  }

 private:
  static Layers moe_layers(const TomlValue& value) {
    if (!value.node->is_integer()) refuse(value, std::string(kPerStage));
    const std::int64_t layers = integer_of(value, 1, kMostLayers);
    return Layers(static_cast<std::size_t>(layers), LayerKind::moe);
  }

  static Layers named_layers(const TomlValue& list) {
    if (size_of(list) == 0) refuse(list, "a list of \"moe\" and \"dense\", at least one");
    Layers layers;
    for (std::size_t index = 0; index < size_of(list); ++index) {
      const std::size_t word = word_index_of(item_of(list, index), texts_of(kLayerKinds));
      layers.push_back(kLayerKinds[word].value);
    }
    return layers;
  }

  std::vector<Layers> same_for_all(const Layers& layers) {
    count(static_cast<std::int64_t>(layers.size() * stages_));
    return std::vector<Layers>(stages_, layers);
  }

  void count(std::int64_t layers) {
    layers_ += layers;
    if (layers_ > kMostLayers) {
      throw Error(per_stage_.position, fmt::format("{} makes too many layers", per_stage_.name),
                  fmt::format("at most {} layers in all stages together", kMostLayers));
    }
  }

  const TomlValue& per_stage_;
  std::size_t stages_;
  std::int64_t layers_ = 0;
};

double part_us(const TomlDuration& cost, const TomlTable& table, std::string_view key) {
  return duration_us_of(require(table, key, "a duration"), cost.us_per_unit);
}

bool read_compute_part(const TomlTable& section, std::string_view key_us, ComputePartCost& into) {
  const auto cost = find_duration(section, key_us);
  if (!cost) return false;
  const TomlTable table = as_table(cost->value);
  refuse_unknown_keys(table, {"forward", "backward_input", "backward_weight"});
  into.forward_us = part_us(*cost, table, "forward");
  into.backward_input_us = part_us(*cost, table, "backward_input");
  into.backward_weight_us = part_us(*cost, table, "backward_weight");
  return true;
}

// `part` is "dispatch": its key is dispatch_us (or _ms) or dispatch_bytes. Where `has_backward` is
// false the time of a backward may be left out.
bool read_comm_part(const TomlTable& section, const std::string& part, CommPartCost& into,
                    bool has_backward = true) {
  const auto cost = find_duration(section, part + "_us");
  const auto bytes = find(section, part + "_bytes");
  if (cost && bytes) {
    throw Error(bytes->position,
                fmt::format("{} and {} are both given", cost->value.name, bytes->name),
                "one of them");
  }
  if (bytes) into.bytes = bytes_of(*bytes);
  if (!cost) return bytes.has_value();
  const TomlTable table = as_table(cost->value);
  refuse_unknown_keys(table, {"forward", "backward"});
  into.forward_us = part_us(*cost, table, "forward");
  if (has_backward || find(table, "backward")) {
    into.backward_us = part_us(*cost, table, "backward");
  }
  return true;
}

void read_launches(const TomlTable& section, std::map<Part, std::int32_t>& launches) {
  const auto table = find_table(section, "launches");
  if (!table) return;
  refuse_unknown_keys(*table, texts_of(kLayerParts));
  for (const auto& [text, part] : kLayerParts) {
    std::int32_t count = 1;
    read_int32(*table, text, 1, kMostLaunches, count);
    if (count != 1) launches[part] = count;
  }
}

bool any_layer(const std::vector<Layers>& stages, LayerKind kind) {
  return std::any_of(stages.begin(), stages.end(), [kind](const Layers& layers) {
    return std::find(layers.begin(), layers.end(), kind) != layers.end();
  });
}

void require_part(const TomlTable& section, bool given, std::string_view key,
                  const std::string& reason) {
  if (given) return;
  throw Error(section.position, fmt::format("{}.{} is missing", section.name, key),
              "the cost of " + reason);
}

}  // namespace

void read_layers(const TomlTable& section, Scenario& scenario) {
  refuse_unknown_keys(section, kKeys);
  LayersKeys& keys = scenario.layers;
  keys.given = true;
  const TomlValue per_stage = require(section, "per_stage", std::string(kPerStage));
  keys.stages = LayerLists(per_stage, scenario.stages()).read();

  const bool attention = read_compute_part(section, "attention_us", keys.attention);
  const bool experts = read_compute_part(section, "experts_us", keys.experts);
  const bool mlp = read_compute_part(section, "mlp_us", keys.mlp);
  const bool dispatch = read_comm_part(section, "dispatch", keys.dispatch);
  const bool combine = read_comm_part(section, "combine", keys.combine);
  require_part(section, attention, "attention_us", "the attention of a layer");
  if (any_layer(keys.stages, LayerKind::moe)) {
    require_part(section, experts, "experts_us", "the experts of a moe layer");
    require_part(section, dispatch, "dispatch_us",
                 "the dispatch of a moe layer, or dispatch_bytes");
    require_part(section, combine, "combine_us", "the combine of a moe layer, or combine_bytes");
  }
  if (any_layer(keys.stages, LayerKind::dense)) {
    require_part(section, mlp, "mlp_us", "the mlp of a dense layer");
  }
  read_comm_part(section, "counts", keys.counts, false);
  read_compute_part(section, "embedding_us", keys.embedding);
  read_compute_part(section, "head_us", keys.head);
  read_launches(section, keys.launches);
  read_bytes(section, "output_bytes", keys.output_bytes);
}

}  // namespace steptwin
