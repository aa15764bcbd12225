#include "model/formats/scenario_toml.h"

#include <fmt/format.h>

#include "model/formats/scenario_sections.h"
#include "model/formats/scenario_words.h"

namespace steptwin {
namespace {

constexpr std::size_t kMostNameBytes = 256;

const std::vector<std::string_view> kSections = {
    "name", "pipeline", "overlap", "parallel", "stage",   "layers",     "model", "cluster",
    "moe",  "network",  "host",    "comm",     "streams", "contention", "noise", "machine"};

void read_overlap(const TomlTable& section, OverlapKeys& keys) {
  refuse_unknown_keys(section, {"execution", "hooks", "depart"});
  read_word(section, "execution", kOverlapExecutions, keys.execution);
  read_flag(section, "hooks", keys.hooks);
  read_flag(section, "depart", keys.depart);
}

void read_parallel(const TomlTable& section, ParallelKeys& keys) {
  refuse_unknown_keys(section, {"expert", "fold", "fsdp", "offload", "offload_min_gap"});
  read_int32(section, "expert", 1, kMostRanks, keys.expert);
  read_flag(section, "fold", keys.fold);
  read_flag(section, "fsdp", keys.fsdp);
  read_flag(section, "offload", keys.offload);
  read_int32(section, "offload_min_gap", 0, kMostMicroBatches, keys.offload_min_gap);
  if (keys.expert > 1 && !keys.fold) {
    refuse_unavailable(*find(section, "fold"), "true, where parallel.expert is more than 1");
  }
  if (keys.fsdp) refuse_unavailable(*find(section, "fsdp"), "false");
  if (keys.offload) refuse_unavailable(*find(section, "offload"), "false");
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
  if (const auto section = find_table(document, "overlap")) {
    read_overlap(*section, scenario.overlap);
  }
  if (const auto section = find_table(document, "parallel")) {
    read_parallel(*section, scenario.parallel);
  }
  read_costs(document, scenario);
  if (const auto section = find_table(document, "moe")) read_moe(*section, scenario.moe);
  if (const auto section = find_table(document, "network")) {
    read_network(*section, scenario.network);
  }
  if (const auto section = find_table(document, "host")) read_host(*section, scenario.host);
  if (const auto section = find_table(document, "comm")) read_comm(*section, scenario.comm);
  if (const auto section = find_table(document, "streams")) {
    read_streams(*section, scenario.streams);
  }
  refuse_idle_keys(document, scenario);
  refuse_long_transfers(document, scenario);
  refuse_endless(scenario, scenario.pipeline.micro_batches_at);
  return scenario;
}

}  // namespace steptwin
