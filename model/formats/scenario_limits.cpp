#include <algorithm>
#include <fmt/format.h>

#include "model/costs.h"
#include "model/formats/scenario_sections.h"
#include "model/noise.h"

namespace steptwin {
namespace {

constexpr double kMost = 4.6e18;  // a little under 2^62

// The longest that one kernel can take on the host: launched, recorded, waited for, and met by the
// other thread of an overlap.
double host_ns_per_kernel(const Scenario& scenario) {
  std::int32_t launches = 1;
  for (const auto& [part, count] : scenario.layers.launches) launches = std::max(launches, count);
  const HostKeys& host = scenario.host;
  return 1000.0 * (host.launch_us * launches + 4 * host.event_us + 2 * host.rendezvous_us +
                   2 * host.wake_us + host.fork_us);
}

// Ranks 0 and 1 share a node if any two ranks do; ranks 0 and R-1 do not unless all do. So these
// are all links that a stage map can make use of.
std::vector<LinkClass> p2p_links(const Scenario& scenario) {
  const std::int32_t last = scenario.pipeline.ranks - 1;
  if (last == 0) return {};
  return {p2p_link(scenario, 0, 1), p2p_link(scenario, 0, last)};
}

double link_ns(const Scenario& scenario, Bytes bytes) {
  TimeNs longest = 0;
  for (const LinkClass link : p2p_links(scenario)) {
    const LinkKeys keys = link_keys(scenario.network, link);
    longest = std::max(longest,
                       transfer_time(nanoseconds_from_us(keys.latency_us), bytes, keys.bandwidth));
  }
  return static_cast<double>(longest);
}

// A link that is not given has the p2p_ keys. There is a key: without one a bandwidth is infinite.
TomlValue bandwidth_key(const TomlTable& document, LinkClass link) {
  const TomlTable network = as_table(*find(document, "network"));
  if (link != LinkClass::p2p) {
    const auto own =
        find_table(network, link == LinkClass::intra_node ? "intra_node" : "inter_node");
    if (own) return *find(*own, "bandwidth");
  }
  return *find(network, "p2p_bandwidth");
}

// What a schedule may make of the keys; one in a file may hold anything.
bool may_shard(const Scenario& scenario) {
  return scenario.parallel.fsdp || !scenario.pipeline.schedule_file.empty();
}
bool may_offload(const Scenario& scenario) {
  return scenario.parallel.offload || !scenario.pipeline.schedule_file.empty();
}
bool may_load(const Scenario& scenario) {
  return scenario.pipeline.data_steps || !scenario.pipeline.schedule_file.empty();
}

// Of one micro-batch: what comes to a stage and leaves it beside activations and gradients.
double residency_ns(const Scenario& scenario, std::int32_t stage) {
  double ns = 0;
  if (may_load(scenario)) {
    ns += 4 * link_ns(scenario, scenario.data.bytes) + 1000.0 * scenario.data.load_us +
          static_cast<double>(copy_time(scenario, scenario.data.bytes));
  }
  if (may_offload(scenario)) {
    ns += 2 * static_cast<double>(copy_time(scenario, activation_bytes(scenario, stage)));
  }
  if (!may_shard(scenario)) return ns;
  for (const Bytes bytes : {parameter_bytes(scenario, stage), gradient_bytes(scenario, stage)}) {
    ns += 2 * static_cast<double>(shard_exchange_time(scenario, bytes));
  }
  return ns;
}

double stage_ns(const Scenario& scenario, std::int32_t stage) {
  const bool sends = stage + 1 < scenario.stages();
  double ns = sends ? 4 * link_ns(scenario, output_bytes(scenario, stage)) : 0;
  ns += residency_ns(scenario, stage);
  double kernels = 20;  // the chunk or embedding and head, in each direction, four transfers, rest
  if (scenario.stage.given) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      ns += static_cast<double>(stage_time(scenario, stage, direction));
    }
    return ns + kernels * host_ns_per_kernel(scenario);
  }
  // Not stage_time: that adds up in whole nanoseconds and may overflow before it is checked.
  const auto layers =
      static_cast<double>(scenario.layers.stages[static_cast<std::size_t>(stage)].size());
  const auto add_compute = [&ns](const ComputePartCost& cost, double times) {
    ns += times * 1000.0 * (cost.forward_us + cost.backward_input_us + cost.backward_weight_us);
  };
  const auto add_communication = [&](const CommPartCost& cost) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      ns += layers * static_cast<double>(communication_time(scenario, cost, direction));
    }
  };
  add_compute(scenario.layers.attention, layers);
  add_compute(scenario.layers.experts, layers);
  add_compute(scenario.layers.mlp, layers);
  add_compute(scenario.layers.embedding, 1);
  add_compute(scenario.layers.head, 1);
  add_communication(scenario.layers.dispatch);
  add_communication(scenario.layers.combine);
  add_communication(scenario.layers.counts);
  kernels += 12 * layers;
  return ns + kernels * host_ns_per_kernel(scenario);
}

double layer_bytes(const Scenario& scenario, std::int32_t stage) {
  if (!scenario.layers.given) return 0;
  const LayersKeys& keys = scenario.layers;
  double bytes = 0;
  for (const CommPartCost* cost : {&keys.dispatch, &keys.combine, &keys.counts}) {
    bytes += 2 * static_cast<double>(std::max(cost->bytes, Bytes{0}));
  }
  return bytes * static_cast<double>(keys.stages[static_cast<std::size_t>(stage)].size());
}

// All works together go on at least at the smallest of the rates that are not shared out: of n
// flows on the fullest port each has 1/n of it, and of n computing ranks of a host each has 1/n of
// a core.
double longest_dilation(const Scenario& scenario) {
  const ContentionKeys& keys = scenario.contention;
  const double devices = keys.host_cores > 0
                             ? std::min(scenario.parallel.expert, scenario.network.devices_per_node)
                             : 1;
  return devices / (1 - std::max(keys.compute_loss, keys.comm_loss));
}

// Then one stage tells the sum of up to 67 million.
bool all_stages_alike(const Scenario& scenario) {
  const StageKeys& keys = scenario.stage;
  if (keys.activation_bytes.size() > 1 || keys.parameter_bytes.size() > 1) return false;
  return keys.given && keys.forward_us.size() == 1 && keys.backward_input_us.size() == 1 &&
         keys.backward_weight_us.size() == 1 && keys.output_bytes.size() == 1;
}

[[noreturn]] void refuse_bandwidth(const TomlValue& key, std::string_view what, Bytes bytes) {
  throw Error(
      key.position,
      fmt::format("{} is {}: {} of {} takes longer than the longest duration, {} us", key.name,
                  described(key), what, bytes_text(bytes), us_from_nanoseconds(kLongestDuration)),
      "a larger bandwidth, or fewer bytes");
}

void refuse_long_transfer(const TomlTable& document, const Scenario& scenario, LinkClass link,
                          Bytes bytes, std::string_view what) {
  if (transfer_fits(bytes, link_keys(scenario.network, link).bandwidth)) return;
  refuse_bandwidth(bandwidth_key(document, link), what, bytes);
}

// Copies to and from the host, and what peers exchange of a stage's parameters.
void refuse_long_residency(const TomlTable& document, const Scenario& scenario) {
  for (std::int32_t stage = 0; stage < scenario.stages(); ++stage) {
    const Bytes copied = std::max(may_offload(scenario) ? activation_bytes(scenario, stage) : 0,
                                  may_load(scenario) ? scenario.data.bytes : 0);
    if (!transfer_fits(copied, scenario.network.device_host.bandwidth)) {
      const TomlTable link = *find_table(as_table(*find(document, "network")), "device_host");
      refuse_bandwidth(*find(link, "bandwidth"), "a copy", copied);
    }
    if (!may_shard(scenario)) continue;
    for (const Bytes bytes : {parameter_bytes(scenario, stage), gradient_bytes(scenario, stage)}) {
      refuse_long_transfer(document, scenario, all_to_all_link(scenario),
                           all_to_all_moved(scenario, bytes), "an exchange of parameters");
    }
  }
}

}  // namespace

void refuse_long_transfers(const TomlTable& document, const Scenario& scenario) {
  Bytes largest = 0;
  for (std::int32_t stage = 0; stage + 1 < scenario.stages(); ++stage) {
    largest = std::max(largest, output_bytes(scenario, stage));
  }
  for (const LinkClass link : p2p_links(scenario)) {
    refuse_long_transfer(document, scenario, link, largest, "a transfer");
    if (!may_load(scenario)) continue;
    refuse_long_transfer(document, scenario, link, scenario.data.bytes, "a transfer of data");
  }
  refuse_long_residency(document, scenario);
  if (!scenario.layers.given) return;
  const LayersKeys& layers = scenario.layers;
  for (const CommPartCost* cost : {&layers.dispatch, &layers.combine, &layers.counts}) {
    const Bytes moved = all_to_all_moved(scenario, std::max(cost->bytes, Bytes{0}));
    refuse_long_transfer(document, scenario, all_to_all_link(scenario), moved, "an all-to-all");
  }
}

void refuse_endless(const Scenario& scenario, const SourcePosition& position) {
  const double micro_batches = scenario.pipeline.micro_batches;
  double ns = 0;
  double bytes = 0;
  const bool alike = all_stages_alike(scenario);
  const double times = alike ? scenario.stages() : 1;
  for (std::int32_t stage = 0; stage < (alike ? 1 : scenario.stages()); ++stage) {
    ns += micro_batches * stage_ns(scenario, stage);
    bytes += static_cast<double>(parameter_bytes(scenario, stage)) *
                 (1 + scenario.memory.gradient_ratio + scenario.memory.optimizer_ratio) +
             micro_batches * (static_cast<double>(activation_bytes(scenario, stage)) +
                              4 * static_cast<double>(output_bytes(scenario, stage)) +
                              layer_bytes(scenario, stage));
  }
  ns *= times * Noise::largest_factor(scenario) * longest_dilation(scenario);
  bytes *= times;
  if (ns > kMost) {
    throw Error(position, "the durations of all micro-batches add up to more than 146 years",
                "shorter durations or fewer micro-batches");
  }
  if (bytes > kMost) {
    throw Error(position, "the sizes of all micro-batches add up to more than 2^62 bytes",
                "smaller sizes or fewer micro-batches");
  }
}

}  // namespace steptwin
