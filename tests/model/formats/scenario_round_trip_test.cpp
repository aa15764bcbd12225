#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/formats/scenario_toml.h"
#include "model/formats/scenario_words.h"
#include "model/schedules/schedules.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20'260'401;
using Random = std::mt19937_64;

std::int32_t integer(Random& random, std::int32_t least, std::int32_t most) {
  return std::uniform_int_distribution<std::int32_t>(least, most)(random);
}
bool flag(Random& random) {
  return integer(random, 0, 1) == 1;
}

// Values with few digits, with all of them, tiny and large.
double duration(Random& random) {
  const double all_digits = std::uniform_real_distribution<double>(0, 1e6)(random);
  switch (integer(random, 0, 5)) {
    case 0:
      return 0;
    case 1:
      return 1e9;
    case 2:
      return all_digits;
    case 3:
      return all_digits * 1e-12;
    case 4:
      return integer(random, 0, 4000) / 8.0;
    default:
      return integer(random, 0, 5000);
  }
}

Bytes size(Random& random) {
  const int shift = integer(random, 0, 38);
  return flag(random) ? Bytes{1} << shift : Bytes{integer(random, 0, 1'000'000)} << (shift / 2);
}

Bandwidth bandwidth(Random& random) {
  if (integer(random, 0, 3) == 0) return Bandwidth{};
  if (flag(random)) return Bandwidth{integer(random, 1, 800) * 1e9};
  return Bandwidth{std::uniform_real_distribution<double>(1e6, 1e12)(random)};
}

template <typename Value, std::size_t kCount>
Value word(Random& random, const Words<Value, kCount>& words) {
  const std::int32_t last = static_cast<std::int32_t>(kCount) - 1;
  return words[static_cast<std::size_t>(integer(random, 0, last))].value;
}

std::string name(Random& random) {
  const std::vector<std::string> pieces = {"moe", " ",  "\"",  "\\", "\n", "\t", "\x01", "é",
                                           "日",  "\r", "'''", "#",  "=",  "[",  "\x7f", "\\u0041"};
  std::string text;
  for (std::int32_t count = integer(random, 0, 8); count > 0; --count) {
    text += pieces[static_cast<std::size_t>(
        integer(random, 0, static_cast<std::int32_t>(pieces.size()) - 1))];
  }
  return text;
}

template <typename Make>
auto per_stage(Random& random, std::int32_t stages, Make make) {
  std::vector<decltype(make(random))> values(1, make(random));
  if (flag(random)) {
    while (values.size() < static_cast<std::size_t>(stages)) values.push_back(make(random));
  }
  return values;
}

void fill_pipeline(Random& random, PipelineKeys& keys) {
  keys.ranks = integer(random, 2, 6);  // one rank has no transfers to set keys for
  keys.chunks_per_rank = integer(random, 1, 3);
  keys.micro_batches = integer(random, 1, 64);
  const std::int32_t last = static_cast<std::int32_t>(schedule_names().size()) - 1;
  keys.schedule = schedule_names()[static_cast<std::size_t>(integer(random, 0, last))];
  keys.stage_map = word(random, kStageMaps);
  if (integer(random, 0, 3) == 0) {
    keys.stage_map = StageMapKind::list;
    for (std::int32_t stage = 0; stage < keys.ranks * keys.chunks_per_rank; ++stage) {
      keys.stage_map_list.push_back(integer(random, 0, keys.ranks - 1));
    }
  }
  keys.overlap = word(random, kOverlapModes);
  keys.p2p = flag(random) ? P2pMode::automatic : P2pMode::plain;
  keys.overlap_p2p = flag(random);
  keys.less_memory = flag(random);
  keys.recv_placement = word(random, kRecvPlacements);
  if (obeys_memory_limit(keys.schedule)) keys.memory_limit = integer(random, 0, 64) / 4.0;
  keys.data_steps = flag(random);
  if (integer(random, 0, 3) > 0) return;
  keys.schedule.clear();
  keys.schedule_file = "x" + name(random);
  keys.overlap = OverlapMode::none;
  keys.less_memory = keys.data_steps = false;
  keys.memory_limit = 0;
}

ComputePartCost compute_part(Random& random) {
  return {duration(random), duration(random), duration(random)};
}

CommPartCost comm_part(Random& random) {
  if (flag(random)) return {0, 0, size(random)};
  return {duration(random), duration(random), -1};
}

bool any_layer(const LayersKeys& keys, LayerKind kind) {
  return std::any_of(keys.stages.begin(), keys.stages.end(), [kind](const auto& layers) {
    return std::find(layers.begin(), layers.end(), kind) != layers.end();
  });
}

// Only what has an effect: another value is refused.
void fill_layers(Random& random, LayersKeys& keys, std::int32_t stages, bool counts_exchange) {
  keys.given = true;
  const bool only_moe = flag(random);
  const auto layers = [only_moe](Random& source) {
    std::vector<LayerKind> kinds;
    for (std::int32_t count = integer(source, 1, 4); count > 0; --count) {
      kinds.push_back(only_moe ? LayerKind::moe : word(source, kLayerKinds));
    }
    return kinds;
  };
  keys.stages = per_stage(random, stages, layers);
  keys.stages.resize(static_cast<std::size_t>(stages), keys.stages.front());
  keys.attention = compute_part(random);
  keys.embedding = compute_part(random);
  keys.head = compute_part(random);
  std::vector<Part> parts = {Part::attention};
  if (keys.embedding.forward_us > 0) parts.push_back(Part::embedding);
  if (keys.head.forward_us > 0) parts.push_back(Part::head);
  if (any_layer(keys, LayerKind::moe)) {
    keys.experts = compute_part(random);
    keys.dispatch = comm_part(random);
    keys.combine = comm_part(random);
    parts.insert(parts.end(), {Part::experts, Part::dispatch, Part::combine});
    if (counts_exchange) {
      keys.counts = comm_part(random);
      keys.counts.backward_us = 0;
      parts.push_back(Part::counts);
    }
  }
  if (any_layer(keys, LayerKind::dense)) {
    keys.mlp = compute_part(random);
    parts.push_back(Part::mlp);
  }
  for (const Part part : parts) {
    if (flag(random)) keys.launches[part] = integer(random, 2, 40);
  }
  keys.output_bytes = size(random);
}

void fill_stage(Random& random, Scenario& scenario) {
  const std::int32_t stages = scenario.stages();
  StageKeys& keys = scenario.stage;
  keys.activation_bytes = per_stage(random, stages, size);
  keys.input_share = integer(random, 0, 16) / 16.0;
  keys.parameter_bytes = per_stage(random, stages, size);
  if (scenario.layers.given) return;
  keys.given = true;
  keys.forward_us = per_stage(random, stages, duration);
  keys.backward_input_us = per_stage(random, stages, duration);
  keys.backward_weight_us = per_stage(random, stages, duration);
  keys.output_bytes = per_stage(random, stages, size);
}

void fill_network_and_host(Random& random, Scenario& scenario) {
  NetworkKeys& network = scenario.network;
  network.by_node = flag(random);
  if (network.by_node) {
    network.intra_node = {duration(random), bandwidth(random)};
    network.inter_node = {duration(random), bandwidth(random)};
    network.devices_per_node = integer(random, 1, 72);
  } else {
    network.p2p_latency_us = duration(random);
    network.p2p_bandwidth = bandwidth(random);
  }
  const bool transfers = scenario.pipeline.ranks > 1 || scenario.pipeline.data_steps;
  if (transfers && flag(random)) network.eager_bytes = size(random);
  HostKeys& host = scenario.host;
  host.launch_us = integer(random, 0, 80) / 8.0;
  host.event_us = duration(random);
  host.rendezvous_us = duration(random);
  host.wake_us = duration(random);
  host.fork_us = duration(random);
  host.one_launch_lock = flag(random);
}

void fill_overlap(Random& random, Scenario& scenario, bool has_moe) {
  if (scenario.pipeline.overlap == OverlapMode::none) return;
  scenario.overlap.execution = word(random, kOverlapExecutions);
  if (!has_moe || scenario.overlap.execution == OverlapExecution::sequential) return;
  scenario.overlap.hooks = flag(random);
  if (scenario.overlap.hooks) scenario.overlap.depart = flag(random);
}

TensorKeys tensor(Random& random, std::int32_t micro_batches) {
  TensorKeys keys;
  keys.requires_grad = flag(random);
  if (flag(random)) {
    keys.bytes = size(random) >> 10;
    return keys;
  }
  keys.batch_dim = integer(random, -1, 2);
  keys.element_bytes = integer(random, 1, 8);
  keys.bytes = keys.element_bytes;
  for (std::int32_t dimension = 0; dimension < 3; ++dimension) {
    const std::int32_t length = integer(random, 1, 50);
    const bool cut = dimension == keys.batch_dim;
    keys.shape.push_back(std::int64_t{length} * (cut ? micro_batches : 1));
    keys.bytes *= length;
  }
  return keys;
}

// What comes to the device and leaves it beside activations; noise. Small enough that the sum of
// all durations stays within its limit.
void fill_residency(Random& random, Scenario& scenario, bool has_moe) {
  ParallelKeys& parallel = scenario.parallel;
  parallel.offload = flag(random);
  if (parallel.offload) parallel.offload_min_gap = integer(random, 3, 9);
  if (parallel.expert > 1) {
    parallel.fold = flag(random);
    parallel.fsdp = flag(random);
    if (parallel.fsdp) parallel.fsdp_window = integer(random, 1, 5);
  }
  scenario.network.device_host = {duration(random), Bandwidth{integer(random, 1, 800) * 1e9}};
  if (scenario.pipeline.data_steps || !scenario.pipeline.schedule_file.empty()) {
    scenario.data = {duration(random), size(random) >> 10};
  }
  scenario.memory = {integer(random, 0, 8) / 4.0, integer(random, 0, 60) / 4.0};
  if (flag(random)) {
    scenario.stage.outputs = {tensor(random, scenario.pipeline.micro_batches),
                              tensor(random, scenario.pipeline.micro_batches)};
    scenario.stage.output_bytes = {0};
    scenario.layers.output_bytes = 0;
  }
  NoiseKeys& noise = scenario.noise;
  noise.compute_sigma = integer(random, 0, 2) / 10.0;
  if (noise.compute_sigma > 0) noise.seed = std::int64_t{1} << integer(random, 0, 62);
  if (flag(random)) {
    noise.straggler_rank = integer(random, 0, scenario.pipeline.ranks * parallel.expert - 1);
    noise.straggler_factor = 1.25;
  }
  if (has_moe && parallel.expert > 1 && parallel.expert < 4) noise.moe_imbalance = 0.5;
}

void fill_contention(Random& random, Scenario& scenario, bool has_moe) {
  ContentionKeys& keys = scenario.contention;
  if (scenario.parallel.expert == 1) keys.host_cores = integer(random, 0, 8);
  const bool transfers = scenario.pipeline.ranks > 1 || scenario.pipeline.data_steps;
  if (!has_moe && !transfers) return;
  keys.share_ports = flag(random);
  keys.compute_loss = flag(random) ? 0 : integer(random, 1, 499'999'999) * 1e-9;
  keys.comm_loss = integer(random, 0, 5) / 10.0;
  if (keys.compute_loss > 0) keys.while_waiting = flag(random);
}

// Whether anything depends on how many peers a rank has.
bool peers_matter(const Scenario& scenario) {
  const LayersKeys& layers = scenario.layers;
  const NoiseKeys& noise = scenario.noise;
  return scenario.network.by_node || !scenario.parallel.fold || scenario.parallel.fsdp ||
         layers.dispatch.bytes >= 0 || layers.combine.bytes >= 0 || layers.counts.bytes >= 0 ||
         noise.compute_sigma > 0 || noise.straggler_rank >= 0 || noise.moe_imbalance > 0 ||
         !scenario.pipeline.schedule_file.empty();
}

Scenario random_scenario(Random& random) {
  Scenario scenario;
  scenario.file = "random.toml";
  scenario.name = name(random);
  fill_pipeline(random, scenario.pipeline);
  const bool exchange = flag(random);
  if (flag(random)) fill_layers(random, scenario.layers, scenario.stages(), exchange);
  const bool has_moe = any_layer(scenario.layers, LayerKind::moe);
  scenario.moe.counts_exchange = exchange && has_moe;
  fill_overlap(random, scenario, has_moe);
  fill_stage(random, scenario);
  fill_network_and_host(random, scenario);
  if (has_moe || scenario.network.by_node) scenario.parallel.expert = integer(random, 1, 64);
  fill_residency(random, scenario, has_moe);
  if (has_moe && !peers_matter(scenario)) scenario.parallel.expert = 1;
  fill_contention(random, scenario, has_moe);

  scenario.comm.order = word(random, kCommOrders);
  if (has_moe) scenario.comm.wait = word(random, kCommWaits);
  scenario.streams.preset = word(random, kStreamPresets);
  if (has_moe && flag(random)) scenario.streams.ep = "experts.1";
  if (flag(random)) scenario.streams.p2p_backward = "back_ward-2";
  return scenario;
}

TEST_CASE("reading what was written gives the same text, over random scenarios") {
  CAPTURE(kSeed);
  Random random(kSeed);
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    const Scenario scenario = random_scenario(random);
    const std::string text = scenario_text(scenario);
    CAPTURE(text);
    Scenario again;
    REQUIRE_NOTHROW(again = read_scenario(text, "random.toml"));
    REQUIRE(scenario_text(again) == text);
    REQUIRE(again.name == scenario.name);
    REQUIRE(again.layers.stages == scenario.layers.stages);
    REQUIRE(again.layers.launches == scenario.layers.launches);
    REQUIRE(again.layers.head.backward_weight_us == scenario.layers.head.backward_weight_us);
    REQUIRE(again.network.p2p_bandwidth == scenario.network.p2p_bandwidth);
    REQUIRE(again.network.by_node == scenario.network.by_node);
    REQUIRE(again.network.inter_node.bandwidth == scenario.network.inter_node.bandwidth);
    REQUIRE(again.stage.outputs.size() == scenario.stage.outputs.size());
    for (std::size_t output = 0; output < again.stage.outputs.size(); ++output) {
      REQUIRE(again.stage.outputs[output].bytes == scenario.stage.outputs[output].bytes);
    }
    REQUIRE(again.noise.seed == scenario.noise.seed);
    REQUIRE(again.host.wake_us == scenario.host.wake_us);
    REQUIRE(again.pipeline.stage_map_list == scenario.pipeline.stage_map_list);
  }
}

// One to three bytes changed, lost or put in, or the end cut off.
void corrupt(Random& random, std::string& text) {
  for (std::int32_t count = integer(random, 1, 3); count > 0 && !text.empty(); --count) {
    const std::int32_t last = static_cast<std::int32_t>(text.size()) - 1;
    const std::size_t at = static_cast<std::size_t>(integer(random, 0, last));
    switch (integer(random, 0, 3)) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(at, 1, "\"'[]{}=.,#\n\\-"[static_cast<std::size_t>(integer(random, 0, 12))]);
        break;
      case 2:
        text.resize(at + 1);
        break;
      default:
        text[at] = static_cast<char>(integer(random, 0, 255));
        break;
    }
  }
}

// Reads, and says whether it was right. Anything but Error or success ends the test program.
bool reads(const std::string& text) {
  try {
    read_scenario(text, "corrupt.toml");
    return true;
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("corrupt.toml:"));
    CHECK(std::string(error.what()).size() < 2000);
    return false;
  }
}

TEST_CASE("a corrupted scenario reads or is an Error, whatever the corruption") {
  CAPTURE(kSeed);
  Random random(kSeed);
  int right = 0;
  int wrong = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    CAPTURE(trial);
    Random scenario_random(kSeed + static_cast<std::uint64_t>(trial / 100));
    std::string text = scenario_text(random_scenario(scenario_random));
    corrupt(random, text);
    CAPTURE(text);
    (reads(text) ? right : wrong) += 1;
  }
  CHECK(right > 100);
  CHECK(wrong > 1000);
}

}  // namespace
}  // namespace steptwin
