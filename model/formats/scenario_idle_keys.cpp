#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "model/formats/idle_keys.h"
#include "model/formats/scenario_sections.h"
#include "model/formats/scenario_words.h"
#include "model/schedules/schedules.h"

namespace steptwin {
namespace {

constexpr std::string_view kNoTransfer = "there is one rank, which sends nothing";
constexpr std::string_view kNoCommunication = "there is one rank, which communicates with nobody";
constexpr std::string_view kNoOverlap = "pipeline.overlap is \"none\"";
constexpr std::string_view kOverlap = "pipeline.overlap = \"b_f\"";
constexpr std::string_view kOneRank = "one rank has nobody to send to";
constexpr std::string_view kMoreRanks = "pipeline.ranks = 2 or more";
constexpr std::string_view kAnyOverlap =
    "pipeline.overlap = \"b_f\", or a schedule that overlaps by itself";

bool any_layer(const LayersKeys& keys, LayerKind kind) {
  const auto has_kind = [kind](const std::vector<LayerKind>& layers) {
    return std::find(layers.begin(), layers.end(), kind) != layers.end();
  };
  return keys.given && std::any_of(keys.stages.begin(), keys.stages.end(), has_kind);
}

bool is_free(const ComputePartCost& cost) {
  return cost.forward_us == 0 && cost.backward_input_us == 0 && cost.backward_weight_us == 0;
}
bool is_free(const CommPartCost& cost) {
  return cost.forward_us == 0 && cost.backward_us == 0 && cost.bytes <= 0;
}

// "pipeline.schedule = "zb_heuristic"", with an "or" between several.
std::string limited_schedules() {
  std::string names;
  for (const std::string_view name : schedule_names()) {
    if (!obeys_memory_limit(name)) continue;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : " or ", name);
  }
  return "pipeline.schedule = " + names;
}

// Each check names the keys of one section that may be idle. `differs`: from the default.
class IdleKeyChecks {
 public:
  IdleKeyChecks(const TomlTable& document, const Scenario& scenario)
      : document_(document),
        scenario_(scenario),
        has_moe_(any_layer(scenario.layers, LayerKind::moe)),
        has_dense_(any_layer(scenario.layers, LayerKind::dense)) {}

  void check() const {
    if (scenario_.pipeline.ranks == 1) check_one_rank();
    check_pipeline();
    check_overlap();
    check_parallel();
    check_parts();
    check_launches();
    check_network();
    check_contention();
    check_noise();
    check_data();
    check_memory();
    refuse_idle_streams(shared());
    refuse_idle_beside_machine(shared());
  }

 private:
  void check_pipeline() const {
    const PipelineKeys& keys = scenario_.pipeline;
    if (!keys.schedule_file.empty()) return check_schedule_file();
    refuse_if(keys.memory_limit != 0 && !obeys_memory_limit(keys.schedule), "pipeline",
              "memory_limit", fmt::format("schedule {} obeys none", keys.schedule),
              limited_schedules());
    const bool overlaps = keys.overlap == OverlapMode::b_f;
    refuse_if(keys.split_backward && !overlaps, "pipeline", "split_backward",
              "it splits the backwards of overlaps, and pipeline.overlap is not \"b_f\"", kOverlap);
    refuse_if(keys.p2p == P2pMode::boundary && !overlaps, "pipeline", "p2p",
              "the boundary is that of an overlap, and pipeline.overlap is not \"b_f\"", kOverlap);
  }

  // Without transfers. The preset of [streams] says how the machine is used and may lie idle.
  void check_one_rank() const {
    const PipelineKeys& keys = scenario_.pipeline;
    const StreamKeys& streams = scenario_.streams;
    const auto refuse_key = [this](bool differs, std::string_view section, std::string_view key) {
      refuse_if(differs, section, key, kOneRank, kMoreRanks);
    };
    refuse_key(keys.p2p != P2pMode::automatic, "pipeline", "p2p");
    refuse_key(!keys.overlap_p2p, "pipeline", "overlap_p2p");
    refuse_key(keys.recv_placement != RecvPlacement::early, "pipeline", "recv_placement");
    refuse_key(!streams.p2p.empty(), "streams", "p2p");
    refuse_key(!streams.p2p_forward.empty(), "streams", "p2p_forward");
    refuse_key(!streams.p2p_backward.empty(), "streams", "p2p_backward");
    refuse_key(!streams.data.empty(), "streams", "data");
    const bool communicates = has_moe_ || may_shard();
    refuse_key(scenario_.comm.order != CommOrder::stream && !communicates, "comm", "order");
  }

  // These are about building a schedule.
  void check_schedule_file() const {
    const PipelineKeys& keys = scenario_.pipeline;
    for (const auto& [key, differs] : {std::pair("overlap", keys.overlap != OverlapMode::none),
                                       {"less_memory", keys.less_memory},
                                       {"memory_limit", keys.memory_limit != 0},
                                       {"data_steps", keys.data_steps}}) {
      refuse_if(differs, "pipeline", key, "the schedule is in pipeline.schedule_file",
                "pipeline.schedule in its place");
    }
  }

  // What is in a file is not known here.
  bool may_overlap() const {
    const PipelineKeys& keys = scenario_.pipeline;
    return keys.overlap != OverlapMode::none || !keys.schedule_file.empty() ||
           always_overlaps(keys.schedule);
  }

  bool may_shard() const {
    return scenario_.parallel.fsdp || !scenario_.pipeline.schedule_file.empty();
  }

  void check_overlap() const {
    const OverlapKeys& keys = scenario_.overlap;
    const bool overlaps = may_overlap();
    const bool is_sequential = keys.execution == OverlapExecution::sequential;
    refuse_if(is_sequential && !overlaps, "overlap", "execution", kNoOverlap, kAnyOverlap);
    for (const auto& [key, differs] : {std::pair("hooks", !keys.hooks), {"depart", !keys.depart}}) {
      refuse_if(differs && !overlaps, "overlap", key, kNoOverlap, kAnyOverlap);
      refuse_if(differs && is_sequential, "overlap", key, "overlap.execution is \"sequential\"",
                "overlap.execution = \"threads\"");
      refuse_if(differs && !has_moe_, "overlap", key,
                fmt::format("{}, and only those have hooks", kNoMoeLayer), kMoeLayer);
    }
    refuse_if(!keys.depart && !keys.hooks, "overlap", "depart", "overlap.hooks is false",
              "overlap.hooks = true");
  }

  void check_parallel() const {
    const ParallelKeys& keys = scenario_.parallel;
    refuse_if(keys.expert > 1 && !has_moe_ && !peers_matter(), "parallel", "expert",
              fmt::format("{} and all links are alike", kNoMoeLayer),
              fmt::format("{}, or network.intra_node and network.inter_node", kMoeLayer));
    refuse_if(keys.expert > 1 && has_moe_ && keys.fold && !peers_matter(), "parallel", "expert",
              "the all-to-alls are timed in _us and all links are alike",
              "dispatch_bytes and combine_bytes, or network.intra_node and network.inter_node");
    refuse_if(!keys.fold && keys.expert == 1, "parallel", "fold", "parallel.expert is 1",
              "parallel.expert of 2 or more");
    refuse_if(keys.fsdp && keys.expert == 1, "parallel", "fsdp",
              "the peers share parameters out, and parallel.expert is 1",
              "parallel.expert of 2 or more");
    refuse_if(keys.fsdp_window != ParallelKeys{}.fsdp_window && !keys.fsdp, "parallel",
              "fsdp_window", "parallel.fsdp is false", "parallel.fsdp = true");
    refuse_if(keys.offload_min_gap != ParallelKeys{}.offload_min_gap && !keys.offload, "parallel",
              "offload_min_gap", "parallel.offload is false", "parallel.offload = true");
  }

  bool has_noise() const {
    const NoiseKeys& keys = scenario_.noise;
    return keys.compute_sigma > 0 || keys.straggler_rank >= 0 || keys.moe_imbalance > 0;
  }

  void check_noise() const {
    const NoiseKeys& keys = scenario_.noise;
    refuse_if(keys.seed != NoiseKeys{}.seed && keys.compute_sigma == 0 && keys.moe_imbalance == 0,
              "noise", "seed", "nothing is drawn at random",
              "noise.compute_sigma or noise.moe_imbalance");
    const std::string alone = "parallel.expert is 1: there is nobody to share tokens unevenly with";
    refuse_if(keys.moe_imbalance > 0 && !has_moe_, "noise", "moe_imbalance", kNoMoeLayer,
              kMoeLayer);
    refuse_if(keys.moe_imbalance > 0 && scenario_.parallel.expert == 1, "noise", "moe_imbalance",
              alone, "parallel.expert of 2 or more");
    const bool slow_nobody = keys.straggler_factor != 1 && keys.straggler_rank < 0;
    refuse_if(slow_nobody, "noise", "straggler", "its rank is -1, which is nobody",
              "the number of a rank");
    refuse_if(keys.straggler_rank >= 0 && keys.straggler_factor == 1, "noise", "straggler",
              "its factor is 1", "another factor");
  }

  void check_data() const {
    const bool in_file = !scenario_.pipeline.schedule_file.empty();
    const bool idle = !scenario_.pipeline.data_steps && !in_file;
    for (const std::string_view key : {"load_us", "bytes"}) {
      const bool given = key == "bytes" ? scenario_.data.bytes != 0 : scenario_.data.load_us != 0;
      refuse_if(idle && given, "data", key, "pipeline.data_steps is false",
                "pipeline.data_steps = true");
    }
  }

  void check_memory() const {
    const MemoryKeys& keys = scenario_.memory;
    const std::vector<Bytes>& bytes = scenario_.stage.parameter_bytes;
    const bool has_none =
        std::all_of(bytes.begin(), bytes.end(), [](Bytes stage) { return stage == 0; });
    for (const auto& [key, differs] :
         {std::pair("gradient_ratio", keys.gradient_ratio != MemoryKeys{}.gradient_ratio),
          {"optimizer_ratio", keys.optimizer_ratio != MemoryKeys{}.optimizer_ratio}}) {
      refuse_if(differs && has_none, "memory", key, "no stage has parameters",
                "stage.parameter_bytes");
    }
  }

  // Whether anything depends on how many peers there are; to simulate each of them does not help.
  bool peers_matter() const {
    const LayersKeys& keys = scenario_.layers;
    const bool by_bytes =
        keys.dispatch.bytes >= 0 || keys.combine.bytes >= 0 || keys.counts.bytes >= 0;
    return by_bytes || scenario_.network.by_node || may_shard() || has_noise() ||
           scenario_.contention.host_cores > 0;
  }

  void check_parts() const {
    const LayersKeys& keys = scenario_.layers;
    if (!has_moe_) {
      refuse_part(!is_free(keys.experts), "experts", kNoMoeLayer, kMoeLayer);
      refuse_part(!is_free(keys.dispatch), "dispatch", kNoMoeLayer, kMoeLayer);
      refuse_part(!is_free(keys.combine), "combine", kNoMoeLayer, kMoeLayer);
      refuse_part(!is_free(keys.counts), "counts", kNoMoeLayer, kMoeLayer);
      refuse_if(scenario_.moe.counts_exchange, "moe", "counts_exchange", kNoMoeLayer, kMoeLayer);
      refuse_if(scenario_.comm.wait != CommWait::on_use && !may_shard(), "comm", "wait",
                fmt::format("it is about collectives, and {}", kNoMoeLayer), kMoeLayer);
    }
    refuse_part(!is_free(keys.counts) && !scenario_.moe.counts_exchange, "counts",
                "moe.counts_exchange is false", "moe.counts_exchange = true");
    refuse_part(!is_free(keys.mlp) && !has_dense_, "mlp", "no layer is dense",
                "dense layers in layers.per_stage");
    if (keys.counts.backward_us != 0) {
      const TomlTable layers = *find_table(document_, "layers");
      refuse_without_effect(*find(as_table(find_duration(layers, "counts_us")->value), "backward"),
                            "a backward uses the counts of its forward", "");
    }
  }

  void check_launches() const {
    const LayersKeys& keys = scenario_.layers;
    for (const auto& [part, count] : keys.launches) {
      const std::string because = no_kernel_of(part);
      if (because.empty()) continue;
      const TomlTable launches = *find_table(*find_table(document_, "layers"), "launches");
      refuse_without_effect(*find(launches, text_for(kLayerParts, part)), because, "");
    }
  }

  // Why no kernel is of this part; "" if one is.
  std::string no_kernel_of(Part part) const {
    const LayersKeys& keys = scenario_.layers;
    const bool is_of_moe = part == Part::experts || part == Part::dispatch ||
                           part == Part::combine || part == Part::counts;
    if (is_of_moe && !has_moe_) return std::string(kNoMoeLayer);
    if (part == Part::counts && !scenario_.moe.counts_exchange) {
      return "moe.counts_exchange is false";
    }
    if (part == Part::mlp && !has_dense_) return "no layer is dense";
    if (part == Part::embedding && is_free(keys.embedding)) return "layers.embedding_us is 0";
    if (part == Part::head && is_free(keys.head)) return "layers.head_us is 0";
    return "";
  }

  void check_network() const {
    const NetworkKeys& keys = scenario_.network;
    refuse_if(keys.devices_per_node != NetworkKeys{}.devices_per_node && !keys.by_node &&
                  scenario_.contention.host_cores == 0,
              "network", "devices_per_node", "all links are alike",
              "network.intra_node and network.inter_node, or contention.host_cores");
    refuse_if(keys.eager_bytes > 0 && !transfers(), "network", "eager_bytes", kNoTransfer, "");
    const auto network = find_table(document_, "network");
    if (!network || !find(*network, "intra_node") || !find(*network, "inter_node")) return;
    const std::string_view because = "network.intra_node and network.inter_node are both given";
    const std::string_view instead = "one of those two removed";
    refuse_if(keys.p2p_latency_us != 0, "network", "p2p_latency_us", because, instead);
    refuse_if(keys.p2p_bandwidth != Bandwidth{}, "network", "p2p_bandwidth", because, instead);
  }

  // Between ranks; what loads data into one is no transfer.
  bool transfers() const { return scenario_.pipeline.ranks > 1; }

  void check_contention() const {
    const ContentionKeys& keys = scenario_.contention;
    const bool communicates = transfers() || has_moe_ || may_shard();
    for (const auto& [key, differs] : {std::pair("share_ports", keys.share_ports),
                                       {"compute_loss", keys.compute_loss > 0},
                                       {"comm_loss", keys.comm_loss > 0}}) {
      refuse_if(differs && !communicates, "contention", key, kNoCommunication, "");
    }
    refuse_if(!keys.while_waiting && keys.compute_loss == 0, "contention", "while_waiting",
              "contention.compute_loss is 0", "a contention.compute_loss above 0");
  }

  void refuse_part(bool is_idle, const std::string& part, std::string_view because,
                   std::string_view instead) const {
    refuse_if(is_idle, "layers", part + "_us", because, instead);
    refuse_if(is_idle, "layers", part + "_bytes", because, instead);
  }

  void refuse_if(bool is_idle, std::string_view section, std::string_view key,
                 std::string_view because, std::string_view instead) const {
    shared().refuse_if(is_idle, section, key, because, instead);
  }

  IdleKeys shared() const { return {document_, scenario_, has_moe_, may_shard()}; }

  const TomlTable& document_;
  const Scenario& scenario_;
  const bool has_moe_;
  const bool has_dense_;
};

}  // namespace

void refuse_idle_keys(const TomlTable& document, const Scenario& scenario) {
  IdleKeyChecks(document, scenario).check();
}

}  // namespace steptwin
