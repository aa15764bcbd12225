#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/machine.h"
#include "model/program.h"
#include "model/step.h"
#include "model/units.h"

namespace steptwin {

// A scenario as a value: every key of the TOML file with its default. The reader
// (model/formats/scenario_toml) checks each value by itself and each array against R, V and N;
// what a schedule or the lowering cannot do is refused there, with the rule.

enum class OverlapMode : std::uint8_t { none, b_f, f_b };
enum class StageMapKind : std::uint8_t { automatic, loop, v, list };
enum class P2pMode : std::uint8_t { automatic, plain, batch, boundary, multi_stream };
enum class RecvPlacement : std::uint8_t { early, late };
enum class OverlapExecution : std::uint8_t { threads, sequential };
enum class CommOrder : std::uint8_t { stream, data };
enum class CommWait : std::uint8_t { on_use, at_launch };
enum class StreamPreset : std::uint8_t {
  two,
  per_group,
  per_direction,
  multi_stream,
  per_edge,
  unqueued,
};

struct PipelineKeys {
  std::int32_t ranks = 0;            // R, required
  std::int32_t chunks_per_rank = 1;  // V
  std::int32_t micro_batches = 0;    // M, required
  std::string schedule;              // this or schedule_file is required, the other is ""
  std::string schedule_file;         // as given: relative to the folder of the scenario
  SourcePosition schedule_at;        // where either was read, for messages
  SourcePosition micro_batches_at;
  StageMapKind stage_map = StageMapKind::automatic;
  std::vector<std::int32_t> stage_map_list;  // rank of each stage, for `list`
  OverlapMode overlap = OverlapMode::none;
  P2pMode p2p = P2pMode::automatic;
  SourcePosition p2p_at;
  bool overlap_p2p = true;
  bool split_backward = false;
  bool less_memory = false;
  RecvPlacement recv_placement = RecvPlacement::early;
  double memory_limit = 0;  // micro-batches of activations per rank; 0: not given
  bool data_steps = false;
};

struct OverlapKeys {
  OverlapExecution execution = OverlapExecution::threads;
  bool hooks = true;
  bool depart = true;
};

struct ParallelKeys {
  std::int32_t expert = 1;  // E
  bool fold = true;
  bool fsdp = false;
  std::int32_t fsdp_window = 3;
  bool offload = false;
  std::int32_t offload_min_gap = 4;
};

// A tensor that a stage sends to the next one. One that requires no gradient has none travelling
// back. Given by its bytes of one micro-batch, or by the shape of the whole batch: then dimension
// `batch_dim` is cut into micro-batches, or none if it is -1.
struct TensorKeys {
  std::vector<std::int64_t> shape;  // empty: given by its bytes
  std::int32_t element_bytes = 2;
  std::int32_t batch_dim = 0;
  bool requires_grad = true;
  Bytes bytes = 0;  // of one micro-batch, either way
};

// Costs per stage. Each list has one value for all stages or one per stage.
struct StageKeys {
  bool given = false;
  std::vector<double> forward_us;
  std::vector<double> backward_input_us;
  std::vector<double> backward_weight_us;
  std::vector<Bytes> activation_bytes = {0};
  double input_share = 0.5;
  std::vector<Bytes> parameter_bytes = {0};
  std::vector<Bytes> output_bytes = {0};
  std::vector<TensorKeys> outputs;  // in place of output_bytes, also beside [layers]
};

struct ComputePartCost {
  double forward_us = 0;
  double backward_input_us = 0;
  double backward_weight_us = 0;
};
struct CommPartCost {
  double forward_us = 0;
  double backward_us = 0;
  Bytes bytes = -1;  // given instead of times (dispatch_bytes): timed by [network]
};
enum class LayerKind : std::uint8_t { moe, dense };

// Costs by parts of a layer, instead of [stage] times.
struct LayersKeys {
  bool given = false;
  std::vector<std::vector<LayerKind>> stages;  // the layers of each stage, N lists
  ComputePartCost attention;
  ComputePartCost experts;
  ComputePartCost mlp;
  ComputePartCost embedding;
  ComputePartCost head;
  CommPartCost dispatch;
  CommPartCost combine;
  CommPartCost counts;
  std::map<Part, std::int32_t> launches;  // device launches a kernel stands for; absent: 1
  Bytes output_bytes = 0;                 // activation sent to the next stage
};

struct MoeKeys {
  bool counts_exchange = false;
};

struct LinkKeys {
  double latency_us = 0;
  Bandwidth bandwidth;
};

struct NetworkKeys {
  double p2p_latency_us = 0;
  Bandwidth p2p_bandwidth;
  bool by_node = false;  // intra_node and inter_node given: they replace the p2p_ keys
  LinkKeys intra_node;
  LinkKeys inter_node;
  LinkKeys device_host;  // copies between a device and its host's memory
  std::int32_t devices_per_node = 8;
  Bytes eager_bytes = 0;
};

// The raw inputs of one micro-batch: what the first stage loads, and what travels down the pipeline
// beside the activations where the schedule says so.
struct DataKeys {
  double load_us = 0;  // of the host, for each load
  Bytes bytes = 0;
};

// What a rank holds all the time beside its parameters, in bytes for a byte of them.
struct MemoryKeys {
  double gradient_ratio = 1;
  double optimizer_ratio = 6;
};

struct HostKeys {
  double launch_us = 0;
  double event_us = 0;
  double rendezvous_us = 0;
  double wake_us = 0;
  double fork_us = 0;
  bool one_launch_lock = false;  // threads = "one"
};

struct CommKeys {
  CommOrder order = CommOrder::stream;
  CommWait wait = CommWait::on_use;
};

// How far kernels stray from their costs (model/noise.h).
struct NoiseKeys {
  std::int64_t seed = 1;
  double compute_sigma = 0;
  std::int32_t straggler_rank = -1;  // world rank; -1: none
  double straggler_factor = 1;
  double moe_imbalance = 0;
};

struct ContentionKeys {
  bool share_ports = false;
  double compute_loss = 0;
  double comm_loss = 0;
  bool while_waiting = true;
  std::int32_t host_cores = 0;  // 0: not shared
};

// A traffic class may be moved to a stream of its own name; "" leaves it to the preset.
struct StreamKeys {
  StreamPreset preset = StreamPreset::two;
  std::string ep;
  std::string p2p;
  std::string p2p_forward;
  std::string p2p_backward;
  std::string fsdp;
  std::string data;
};

// The machine that the scenario is simulated on.
struct MachineKeys {
  bool given = false;
  Machine machine;
  std::string text;  // of its file, for a copy of it
  MachineKernels kernels = MachineKernels::real;
};

struct Scenario {
  std::string name;
  std::string file;  // where it was read from, for messages
  // Where the keys of [pipeline], [overlap] and [parallel] that were written stand:
  // "overlap.hooks".
  std::map<std::string, SourcePosition> key_at;
  PipelineKeys pipeline;
  OverlapKeys overlap;
  ParallelKeys parallel;
  StageKeys stage;
  LayersKeys layers;
  MoeKeys moe;
  NetworkKeys network;
  DataKeys data;
  MemoryKeys memory;
  HostKeys host;
  CommKeys comm;
  StreamKeys streams;
  NoiseKeys noise;
  ContentionKeys contention;
  MachineKeys machine;

  std::int32_t stages() const { return pipeline.ranks * pipeline.chunks_per_rank; }
};

}  // namespace steptwin
