#include <algorithm>
#include <fmt/format.h>

#include "model/append_format.h"
#include "model/formats/scenario_toml.h"
#include "model/formats/scenario_words.h"
#include "model/formats/toml_document.h"

namespace steptwin {
namespace {

std::string flag_text(bool flag) {
  return flag ? "true" : "false";
}
std::string size_text(Bytes bytes) {
  return toml_string(bytes_text(bytes));
}
std::string number_text(double number) {
  return fmt::format("{}", number);
}
std::string integer_text(std::int32_t number) {
  return fmt::format("{}", number);
}

template <typename Value, std::size_t kCount>
std::string word_text(const Words<Value, kCount>& words, Value value) {
  return toml_string(text_for(words, value));
}

template <typename Item, typename Text>
std::string list_text(const std::vector<Item>& items, Text text) {
  std::string list = "[";
  for (const Item& item : items) {
    if (list.size() > 1) list += ", ";
    list += text(item);
  }
  return list + "]";
}

template <typename Item>
bool all_equal(const std::vector<Item>& items) {
  return std::adjacent_find(items.begin(), items.end(), std::not_equal_to<>()) == items.end();
}

// One value if it is the same for all stages.
template <typename Item, typename Text>
std::string stages_text(const std::vector<Item>& items, Text text) {
  return all_equal(items) ? text(items.front()) : list_text(items, text);
}

void add_section(std::string& out, std::string_view name) {
  out += fmt::format("\n[{}]\n", name);
}

void add(std::string& out, std::string_view key, const std::string& value) {
  append_format(out, "{} = {}\n", key, value);
}

void add_pipeline(std::string& out, const PipelineKeys& keys) {
  add_section(out, "pipeline");
  add(out, "ranks", integer_text(keys.ranks));
  add(out, "chunks_per_rank", integer_text(keys.chunks_per_rank));
  add(out, "micro_batches", integer_text(keys.micro_batches));
  const bool from_file = !keys.schedule_file.empty();
  add(out, from_file ? "schedule_file" : "schedule",
      toml_string(from_file ? keys.schedule_file : keys.schedule));
  add(out, "stage_map",
      keys.stage_map == StageMapKind::list ? list_text(keys.stage_map_list, integer_text)
                                           : word_text(kStageMaps, keys.stage_map));
  add(out, "overlap", word_text(kOverlapModes, keys.overlap));
  add(out, "p2p", word_text(kP2pModes, keys.p2p));
  add(out, "overlap_p2p", flag_text(keys.overlap_p2p));
  add(out, "split_backward", flag_text(keys.split_backward));
  add(out, "less_memory", flag_text(keys.less_memory));
  add(out, "recv_placement", word_text(kRecvPlacements, keys.recv_placement));
  add(out, "memory_limit", number_text(keys.memory_limit));
  add(out, "data_steps", flag_text(keys.data_steps));
}

void add_overlap_and_parallel(std::string& out, const Scenario& scenario) {
  add_section(out, "overlap");
  add(out, "execution", word_text(kOverlapExecutions, scenario.overlap.execution));
  add(out, "hooks", flag_text(scenario.overlap.hooks));
  add(out, "depart", flag_text(scenario.overlap.depart));
  add_section(out, "parallel");
  add(out, "expert", integer_text(scenario.parallel.expert));
  add(out, "fold", flag_text(scenario.parallel.fold));
  add(out, "fsdp", flag_text(scenario.parallel.fsdp));
  add(out, "fsdp_window", integer_text(scenario.parallel.fsdp_window));
  add(out, "offload", flag_text(scenario.parallel.offload));
  add(out, "offload_min_gap", integer_text(scenario.parallel.offload_min_gap));
}

std::string tensor_text(const TensorKeys& tensor) {
  if (tensor.shape.empty()) {
    return fmt::format("{{ bytes = {}, requires_grad = {} }}", size_text(tensor.bytes),
                       flag_text(tensor.requires_grad));
  }
  return fmt::format(
      "{{ shape = {}, element_bytes = {}, batch_dim = {}, requires_grad = {} }}",
      list_text(tensor.shape, [](std::int64_t length) { return fmt::format("{}", length); }),
      tensor.element_bytes, tensor.batch_dim, flag_text(tensor.requires_grad));
}

void add_stage(std::string& out, const StageKeys& keys) {
  add_section(out, "stage");
  if (keys.given) {
    add(out, "forward_us", stages_text(keys.forward_us, number_text));
    add(out, "backward_input_us", stages_text(keys.backward_input_us, number_text));
    add(out, "backward_weight_us", stages_text(keys.backward_weight_us, number_text));
  }
  add(out, "activation_bytes", stages_text(keys.activation_bytes, size_text));
  add(out, "input_share", number_text(keys.input_share));
  add(out, "parameter_bytes", stages_text(keys.parameter_bytes, size_text));
  if (!keys.outputs.empty()) return add(out, "outputs", list_text(keys.outputs, tensor_text));
  if (keys.given) add(out, "output_bytes", stages_text(keys.output_bytes, size_text));
}

// The shortest of the forms of per_stage.
std::string per_stage_text(const std::vector<std::vector<LayerKind>>& stages) {
  const auto layers_text = [](const std::vector<LayerKind>& layers) {
    return list_text(layers, [](LayerKind kind) { return word_text(kLayerKinds, kind); });
  };
  const auto count_text = [](const std::vector<LayerKind>& layers) {
    return fmt::format("{}", layers.size());
  };
  const bool only_moe = std::all_of(stages.begin(), stages.end(), [](const auto& layers) {
    return std::find(layers.begin(), layers.end(), LayerKind::dense) == layers.end();
  });
  return only_moe ? stages_text(stages, count_text) : stages_text(stages, layers_text);
}

std::string part_text(const ComputePartCost& cost) {
  return fmt::format("{{ forward = {}, backward_input = {}, backward_weight = {} }}",
                     cost.forward_us, cost.backward_input_us, cost.backward_weight_us);
}

void add_comm_part(std::string& out, std::string_view part, const CommPartCost& cost,
                   bool has_backward = true) {
  if (cost.bytes >= 0) {
    add(out, fmt::format("{}_bytes", part), size_text(cost.bytes));
  } else if (!has_backward) {
    add(out, fmt::format("{}_us", part), fmt::format("{{ forward = {} }}", cost.forward_us));
  } else {
    add(out, fmt::format("{}_us", part),
        fmt::format("{{ forward = {}, backward = {} }}", cost.forward_us, cost.backward_us));
  }
}

void add_layers(std::string& out, const LayersKeys& keys, bool own_output) {
  add_section(out, "layers");
  add(out, "per_stage", per_stage_text(keys.stages));
  add(out, "attention_us", part_text(keys.attention));
  add(out, "experts_us", part_text(keys.experts));
  add_comm_part(out, "dispatch", keys.dispatch);
  add_comm_part(out, "combine", keys.combine);
  add_comm_part(out, "counts", keys.counts, false);
  add(out, "mlp_us", part_text(keys.mlp));
  add(out, "embedding_us", part_text(keys.embedding));
  add(out, "head_us", part_text(keys.head));
  std::string launches;
  for (const auto& [text, part] : kLayerParts) {
    const auto found = keys.launches.find(part);
    const std::int32_t count = found == keys.launches.end() ? 1 : found->second;
    launches += fmt::format("{}{} = {}", launches.empty() ? "" : ", ", text, count);
  }
  add(out, "launches", fmt::format("{{ {} }}", launches));
  if (own_output) add(out, "output_bytes", size_text(keys.output_bytes));
}

std::string link_text(const LinkKeys& link) {
  return fmt::format("{{ latency_us = {}, bandwidth = {} }}", link.latency_us,
                     toml_string(bandwidth_text(link.bandwidth)));
}

void add_network(std::string& out, const NetworkKeys& keys) {
  add_section(out, "network");
  if (keys.by_node) {
    add(out, "intra_node", link_text(keys.intra_node));
    add(out, "inter_node", link_text(keys.inter_node));
  } else {
    add(out, "p2p_latency_us", number_text(keys.p2p_latency_us));
    add(out, "p2p_bandwidth", toml_string(bandwidth_text(keys.p2p_bandwidth)));
  }
  add(out, "device_host", link_text(keys.device_host));
  add(out, "devices_per_node", integer_text(keys.devices_per_node));
  add(out, "eager_bytes", size_text(keys.eager_bytes));
}

void add_data_and_memory(std::string& out, const Scenario& scenario) {
  add_section(out, "data");
  add(out, "load_us", number_text(scenario.data.load_us));
  add(out, "bytes", size_text(scenario.data.bytes));
  add_section(out, "memory");
  add(out, "gradient_ratio", number_text(scenario.memory.gradient_ratio));
  add(out, "optimizer_ratio", number_text(scenario.memory.optimizer_ratio));
}

void add_host_and_comm(std::string& out, const Scenario& scenario) {
  const HostKeys& host = scenario.host;
  add_section(out, "host");
  add(out, "launch_us", number_text(host.launch_us));
  add(out, "event_us", number_text(host.event_us));
  add(out, "rendezvous_us", number_text(host.rendezvous_us));
  add(out, "wake_us", number_text(host.wake_us));
  add(out, "fork_us", number_text(host.fork_us));
  add(out, "threads", word_text(kHostThreads, host.one_launch_lock));
  add_section(out, "comm");
  add(out, "order", word_text(kCommOrders, scenario.comm.order));
  add(out, "wait", word_text(kCommWaits, scenario.comm.wait));
}

void add_streams(std::string& out, const StreamKeys& keys) {
  add_section(out, "streams");
  add(out, "preset", word_text(kStreamPresets, keys.preset));
  add(out, "ep", toml_string(keys.ep));
  add(out, "p2p", toml_string(keys.p2p));
  add(out, "p2p_forward", toml_string(keys.p2p_forward));
  add(out, "p2p_backward", toml_string(keys.p2p_backward));
  add(out, "fsdp", toml_string(keys.fsdp));
  add(out, "data", toml_string(keys.data));
}

void add_noise(std::string& out, const NoiseKeys& keys) {
  add_section(out, "noise");
  add(out, "seed", fmt::format("{}", keys.seed));
  add(out, "compute_sigma", number_text(keys.compute_sigma));
  add(out, "straggler",
      fmt::format("{{ rank = {}, factor = {} }}", keys.straggler_rank, keys.straggler_factor));
  add(out, "moe_imbalance", number_text(keys.moe_imbalance));
}

void add_contention(std::string& out, const ContentionKeys& keys) {
  add_section(out, "contention");
  add(out, "share_ports", flag_text(keys.share_ports));
  add(out, "compute_loss", number_text(keys.compute_loss));
  add(out, "comm_loss", number_text(keys.comm_loss));
  add(out, "while_waiting", flag_text(keys.while_waiting));
  add(out, "host_cores", integer_text(keys.host_cores));
}

void add_machine(std::string& out, const MachineKeys& keys) {
  add_section(out, "machine");
  add(out, "file", toml_string(kMachineFile));
  add(out, "kernels", word_text(kMachineKernels, keys.kernels));
}

}  // namespace

std::string scenario_text(const Scenario& scenario) {
  std::string out;
  add(out, "name", toml_string(scenario.name));
  add_pipeline(out, scenario.pipeline);
  add_overlap_and_parallel(out, scenario);
  add_stage(out, scenario.stage);
  if (scenario.layers.given) add_layers(out, scenario.layers, scenario.stage.outputs.empty());
  add_section(out, "moe");
  add(out, "counts_exchange", flag_text(scenario.moe.counts_exchange));
  add_network(out, scenario.network);
  add_data_and_memory(out, scenario);
  add_host_and_comm(out, scenario);
  add_streams(out, scenario.streams);
  add_contention(out, scenario.contention);
  add_noise(out, scenario.noise);
  if (scenario.machine.given) add_machine(out, scenario.machine);
  return out;
}

}  // namespace steptwin
