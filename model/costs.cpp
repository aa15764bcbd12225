#include "model/costs.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "model/noise.h"

namespace steptwin {
namespace {

// A list has one value for all stages or one per stage.
template <typename Value>
const Value& value_for(const std::vector<Value>& list, std::int32_t stage) {
  assert(list.size() == 1 || static_cast<std::size_t>(stage) < list.size());
  return list.size() == 1 ? list.front() : list[static_cast<std::size_t>(stage)];
}

TimeNs chunk_time(const StageKeys& keys, std::int32_t stage, Direction direction) {
  const ComputePartCost cost{value_for(keys.forward_us, stage),
                             value_for(keys.backward_input_us, stage),
                             value_for(keys.backward_weight_us, stage)};
  return compute_time(cost, direction);
}

TimeNs layer_time(const Scenario& scenario, LayerKind kind, Direction direction) {
  const LayersKeys& layers = scenario.layers;
  const TimeNs attention = compute_time(layers.attention, direction);
  if (kind == LayerKind::dense) return attention + compute_time(layers.mlp, direction);
  TimeNs time = attention + compute_time(layers.experts, direction) +
                communication_time(scenario, layers.dispatch, direction) +
                communication_time(scenario, layers.combine, direction);
  if (scenario.moe.counts_exchange && direction == Direction::forward) {
    time += communication_time(scenario, layers.counts, direction);
  }
  return time;
}

TimeNs transfer_over(const LinkKeys& link, Bytes bytes) {
  return transfer_time(nanoseconds_from_us(link.latency_us), bytes, link.bandwidth);
}

Bytes scaled(Bytes bytes, double ratio) {
  return static_cast<Bytes>(std::llround(static_cast<double>(bytes) * ratio));
}

LinkClass link_class(const NetworkKeys& network, bool within_node) {
  if (!network.by_node) return LinkClass::p2p;
  return within_node ? LinkClass::intra_node : LinkClass::inter_node;
}

}  // namespace

TimeNs stage_time(const Scenario& scenario, std::int32_t stage, Direction direction) {
  assert(stage >= 0 && stage < scenario.stages());
  if (scenario.stage.given) return chunk_time(scenario.stage, stage, direction);
  TimeNs time = 0;
  if (stage == 0) time += compute_time(scenario.layers.embedding, direction);
  for (const LayerKind kind : scenario.layers.stages[static_cast<std::size_t>(stage)]) {
    time += layer_time(scenario, kind, direction);
  }
  if (stage == scenario.stages() - 1) time += compute_time(scenario.layers.head, direction);
  return time;
}

TimeNs compute_time(const ComputePartCost& cost, Direction direction) {
  switch (direction) {
    case Direction::forward:
      return nanoseconds_from_us(cost.forward_us);
    case Direction::backward:
      return nanoseconds_from_us(cost.backward_input_us + cost.backward_weight_us);
    case Direction::backward_input:
      return nanoseconds_from_us(cost.backward_input_us);
    case Direction::backward_weight:
      return nanoseconds_from_us(cost.backward_weight_us);
    case Direction::none:
      break;
  }
  assert(false && "a kernel of the model has a direction");
  return 0;
}

TimeNs communication_time(const Scenario& scenario, const CommPartCost& cost, Direction direction) {
  assert(direction != Direction::none);
  if (direction == Direction::backward_weight) return 0;
  if (cost.bytes >= 0) return all_to_all_time(scenario, cost.bytes);
  return nanoseconds_from_us(direction == Direction::forward ? cost.forward_us : cost.backward_us);
}

std::int32_t simulated_peers(const Scenario& scenario) {
  return scenario.parallel.fold && !peers_differ(scenario) ? 1 : scenario.parallel.expert;
}

std::int32_t launches_of(const Scenario& scenario, Part part) {
  const auto found = scenario.layers.launches.find(part);
  return found == scenario.layers.launches.end() ? 1 : found->second;
}

std::vector<Bytes> output_tensors(const Scenario& scenario, std::int32_t stage, bool forward) {
  if (scenario.stage.outputs.empty()) return {output_bytes(scenario, stage)};
  std::vector<Bytes> tensors;
  for (const TensorKeys& tensor : scenario.stage.outputs) {
    if (forward || tensor.requires_grad) tensors.push_back(tensor.bytes);
  }
  return tensors;
}

Bytes output_bytes(const Scenario& scenario, std::int32_t stage) {
  if (!scenario.stage.outputs.empty()) {
    Bytes bytes = 0;
    for (const TensorKeys& tensor : scenario.stage.outputs) bytes += tensor.bytes;
    return bytes;
  }
  if (scenario.layers.given) return scenario.layers.output_bytes;
  return value_for(scenario.stage.output_bytes, stage);
}

Bytes activation_bytes(const Scenario& scenario, std::int32_t stage) {
  return value_for(scenario.stage.activation_bytes, stage);
}

bool gives_memory_sizes(const Scenario& scenario) {
  const auto any = [](const std::vector<Bytes>& sizes) {
    return std::any_of(sizes.begin(), sizes.end(), [](Bytes bytes) { return bytes > 0; });
  };
  return any(scenario.stage.activation_bytes) || any(scenario.stage.parameter_bytes);
}

Bytes input_share_bytes(const Scenario& scenario, std::int32_t stage) {
  return scaled(activation_bytes(scenario, stage), scenario.stage.input_share);
}

Bytes parameter_bytes(const Scenario& scenario, std::int32_t stage) {
  return value_for(scenario.stage.parameter_bytes, stage);
}

LinkKeys link_keys(const NetworkKeys& network, LinkClass link) {
  if (link == LinkClass::p2p) return {network.p2p_latency_us, network.p2p_bandwidth};
  return link == LinkClass::intra_node ? network.intra_node : network.inter_node;
}

LinkClass p2p_link(const Scenario& scenario, std::int32_t from_rank, std::int32_t to_rank) {
  const std::int64_t peers = scenario.parallel.expert;
  const std::int64_t first = std::min(from_rank, to_rank) * peers;
  const std::int64_t last = std::max(from_rank, to_rank) * peers + peers - 1;
  const std::int64_t per_node = scenario.network.devices_per_node;
  return link_class(scenario.network, first / per_node == last / per_node);
}

TimeNs p2p_time(const Scenario& scenario, std::int32_t from_rank, std::int32_t to_rank,
                Bytes bytes) {
  return transfer_over(link_keys(scenario.network, p2p_link(scenario, from_rank, to_rank)), bytes);
}

LinkClass all_to_all_link(const Scenario& scenario) {
  return link_class(scenario.network,
                    scenario.parallel.expert <= scenario.network.devices_per_node);
}

Bytes all_to_all_moved(const Scenario& scenario, Bytes bytes) {
  return bytes - bytes / scenario.parallel.expert;
}

TimeNs all_to_all_time(const Scenario& scenario, Bytes bytes) {
  return transfer_over(link_keys(scenario.network, all_to_all_link(scenario)),
                       all_to_all_moved(scenario, bytes));
}

TimeNs shard_exchange_time(const Scenario& scenario, Bytes bytes) {
  return all_to_all_time(scenario, bytes);
}

TimeNs copy_time(const Scenario& scenario, Bytes bytes) {
  return transfer_over(scenario.network.device_host, bytes);
}

Bytes gradient_bytes(const Scenario& scenario, std::int32_t stage) {
  return scaled(parameter_bytes(scenario, stage), scenario.memory.gradient_ratio);
}

Bytes optimizer_bytes(const Scenario& scenario, std::int32_t stage) {
  return scaled(parameter_bytes(scenario, stage), scenario.memory.optimizer_ratio);
}

}  // namespace steptwin
