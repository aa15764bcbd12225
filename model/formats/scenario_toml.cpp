#include "model/formats/scenario_toml.h"

#include <fmt/format.h>
#include <limits>

#include "model/formats/scenario_sections.h"
#include "model/formats/scenario_words.h"

namespace steptwin {
namespace {

constexpr std::size_t kMostNameBytes = 256;
constexpr double kMostBytesPerParameterByte = 1000;
// Below it a load would be launched before its offload is waited for.
constexpr std::int32_t kLeastOffloadGap = 3;
constexpr double kMostStragglerFactor = 1000;

const std::vector<std::string_view> kSections = {
    "name",  "pipeline", "overlap", "parallel",   "stage", "layers",
    "model", "cluster",  "moe",     "network",    "data",  "memory",
    "host",  "comm",     "streams", "contention", "noise", "machine"};

void read_overlap(const TomlTable& section, OverlapKeys& keys) {
  refuse_unknown_keys(section, {"execution", "hooks", "depart"});
  read_word(section, "execution", kOverlapExecutions, keys.execution);
  read_flag(section, "hooks", keys.hooks);
  read_flag(section, "depart", keys.depart);
}

void read_parallel(const TomlTable& section, ParallelKeys& keys) {
  refuse_unknown_keys(section,
                      {"expert", "fold", "fsdp", "fsdp_window", "offload", "offload_min_gap"});
  read_int32(section, "expert", 1, kMostRanks, keys.expert);
  read_flag(section, "fold", keys.fold);
  read_flag(section, "fsdp", keys.fsdp);
  read_int32(section, "fsdp_window", 1, kMostRanks, keys.fsdp_window);
  read_flag(section, "offload", keys.offload);
  read_int32(section, "offload_min_gap", kLeastOffloadGap, kMostMicroBatches, keys.offload_min_gap);
}

void read_data(const TomlTable& section, DataKeys& keys) {
  refuse_unknown_keys(section, {"load_us", "bytes"});
  read_duration_us(section, "load_us", keys.load_us);
  read_bytes(section, "bytes", keys.bytes);
}

void read_memory(const TomlTable& section, MemoryKeys& keys) {
  refuse_unknown_keys(section, {"gradient_ratio", "optimizer_ratio"});
  read_number(section, "gradient_ratio", 0, kMostBytesPerParameterByte, keys.gradient_ratio);
  read_number(section, "optimizer_ratio", 0, kMostBytesPerParameterByte, keys.optimizer_ratio);
}

void read_host(const TomlTable& section, HostKeys& keys) {
  refuse_unknown_keys(section,
                      {"launch_us", "event_us", "rendezvous_us", "wake_us", "fork_us", "threads"});
  read_duration_us(section, "launch_us", keys.launch_us);
  read_duration_us(section, "event_us", keys.event_us);
  read_duration_us(section, "rendezvous_us", keys.rendezvous_us);
  read_duration_us(section, "wake_us", keys.wake_us);
  read_duration_us(section, "fork_us", keys.fork_us);
  read_word(section, "threads", kHostThreads, keys.one_launch_lock);
}

// Beyond this a lognormal factor says nothing about machines.
constexpr double kMostSigma = 2;

void read_noise(const TomlTable& section, const Scenario& scenario, NoiseKeys& keys) {
  refuse_unknown_keys(section, {"seed", "compute_sigma", "straggler", "moe_imbalance"});
  if (const auto seed = find(section, "seed")) {
    keys.seed = integer_of(*seed, 0, std::numeric_limits<std::int64_t>::max());
  }
  read_number(section, "compute_sigma", 0, kMostSigma, keys.compute_sigma);
  read_number(section, "moe_imbalance", 0, kMostSigma, keys.moe_imbalance);
  const auto straggler = find_table(section, "straggler");
  if (!straggler) return;
  refuse_unknown_keys(*straggler, {"rank", "factor"});
  const std::int32_t ranks = scenario.pipeline.ranks * scenario.parallel.expert;
  read_int32(*straggler, "rank", -1, ranks - 1, keys.straggler_rank);
  read_number(*straggler, "factor", 0, kMostStragglerFactor, keys.straggler_factor);
  if (keys.straggler_factor == 0) refuse(*find(*straggler, "factor"), "a number more than 0");
}

void read_comm(const TomlTable& section, CommKeys& keys) {
  refuse_unknown_keys(section, {"order", "wait"});
  read_word(section, "order", kCommOrders, keys.order);
  read_word(section, "wait", kCommWaits, keys.wait);
}

void read_moe(const TomlTable& section, MoeKeys& keys) {
  refuse_unknown_keys(section, {"counts_exchange"});
  read_flag(section, "counts_exchange", keys.counts_exchange);
}

void read_name(const TomlTable& document, std::string& name) {
  const auto value = find(document, "name");
  if (!value) return;
  const std::string expected = fmt::format("a text of at most {} bytes", kMostNameBytes);
  name = text_of(*value, expected);
  if (name.size() > kMostNameBytes) refuse(*value, expected);
}

void note_places(const TomlTable& section, Scenario& scenario) {
  for (auto&& [key, node] : *section.node) {
    const TomlValue value = *find(section, key.str());
    scenario.key_at[value.name] = value.position;
  }
}

}  // namespace

Scenario read_scenario(std::string_view text, const std::string& file,
                       const std::vector<std::string>& overrides) {
  const toml::table tree = toml_document(text, file, overrides);
  const TomlTable document = whole_document(tree, file);
  refuse_unknown_keys(document, kSections);
  read_unavailable_sections(document);

  Scenario scenario;
  scenario.file = file;
  read_name(document, scenario.name);
  const TomlTable pipeline =
      as_table(require(document, "pipeline", "a section with ranks, micro_batches and schedule"));
  read_pipeline(pipeline, scenario.pipeline);
  note_places(pipeline, scenario);
  if (const auto section = find_table(document, "overlap")) {
    read_overlap(*section, scenario.overlap);
    note_places(*section, scenario);
  }
  if (const auto section = find_table(document, "parallel")) {
    read_parallel(*section, scenario.parallel);
    note_places(*section, scenario);
  }
  read_costs(document, scenario);
  if (const auto section = find_table(document, "moe")) read_moe(*section, scenario.moe);
  if (const auto section = find_table(document, "network")) {
    read_network(*section, scenario.network);
  }
  if (const auto section = find_table(document, "data")) read_data(*section, scenario.data);
  if (const auto section = find_table(document, "memory")) read_memory(*section, scenario.memory);
  if (const auto section = find_table(document, "noise")) {
    read_noise(*section, scenario, scenario.noise);
  }
  if (const auto section = find_table(document, "host")) read_host(*section, scenario.host);
  if (const auto section = find_table(document, "comm")) read_comm(*section, scenario.comm);
  if (const auto section = find_table(document, "streams")) {
    read_streams(*section, scenario.streams);
  }
  if (const auto section = find_table(document, "contention")) {
    read_contention(*section, scenario.contention);
  }
  if (const auto section = find_table(document, "machine")) read_machine_keys(*section, scenario);
  refuse_idle_keys(document, scenario);
  refuse_uneven_hosts(document, scenario);
  refuse_long_transfers(document, scenario);
  refuse_endless(scenario, scenario.pipeline.micro_batches_at);
  return scenario;
}

}  // namespace steptwin
