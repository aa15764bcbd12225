#include "model/lowering/chunk.h"

#include <algorithm>
#include <cassert>

#include "model/costs.h"

namespace steptwin {
namespace {

bool is_free(const ComputePartCost& cost) {
  return cost.forward_us == 0 && cost.backward_input_us == 0 && cost.backward_weight_us == 0;
}

// The forward sequence of one stage with the durations of one direction.
class ChunkWriter {
 public:
  ChunkWriter(const Scenario& scenario, const StageMap& stages, std::int32_t stage,
              Direction direction)
      : scenario_(scenario), stages_(stages), stage_(stage), direction_(direction) {}

  std::vector<ChunkItem> write() {
    const LayersKeys& keys = scenario_.layers;
    const std::vector<LayerKind>& layers = keys.stages[static_cast<std::size_t>(stage_)];
    const auto last_moe = std::find(layers.rbegin(), layers.rend(), LayerKind::moe);
    const auto last_moe_layer = static_cast<std::int32_t>(layers.rend() - last_moe) - 1;
    const bool first_stage = stages_.stage_before(stage_) == StageMap::kNoStage;
    if (first_stage && !is_free(keys.embedding)) add_compute(Part::embedding, keys.embedding, -1);
    for (std::int32_t layer = 0; layer < static_cast<std::int32_t>(layers.size()); ++layer) {
      add_compute(Part::attention, keys.attention, layer);
      if (layers[static_cast<std::size_t>(layer)] == LayerKind::moe) {
        add_moe(layer, layer == last_moe_layer);
      } else {
        add_compute(Part::mlp, keys.mlp, layer);
      }
    }
    const bool last_stage = stages_.stage_after(stage_) == StageMap::kNoStage;
    if (last_stage && !is_free(keys.head)) add_compute(Part::head, keys.head, -1);
    return std::move(items_);
  }

 private:
  void add_moe(std::int32_t layer, bool last) {
    const LayersKeys& keys = scenario_.layers;
    add_hook(Hook::a, layer, false);
    if (scenario_.moe.counts_exchange && direction_ == Direction::forward) {
      add_all_to_all(Part::counts, keys.counts, layer);
    }
    add_all_to_all(Part::dispatch, keys.dispatch, layer);
    add_hook(Hook::b, layer, false);
    add_compute(Part::experts, keys.experts, layer);
    add_hook(Hook::c, layer, false);
    add_all_to_all(Part::combine, keys.combine, layer);
    add_hook(Hook::d, layer, last);
  }

  void add_compute(Part part, const ComputePartCost& cost, std::int32_t layer) {
    ChunkItem item = new_item(part, layer);
    item.duration_ns = compute_time(cost, direction_);
    items_.push_back(item);
  }

  void add_all_to_all(Part part, const CommPartCost& cost, std::int32_t layer) {
    if (direction_ == Direction::backward_weight) return;
    ChunkItem item = new_item(part, layer);
    item.kind = KernelKind::all_to_all;
    item.host_waits = part == Part::counts;
    item.bytes = std::max<Bytes>(cost.bytes, 0);
    item.duration_ns = communication_time(scenario_, cost, direction_);
    items_.push_back(item);
  }

  void add_hook(Hook hook, std::int32_t layer, bool last) {
    if (direction_ == Direction::backward_weight) return;
    ChunkItem item;
    item.is_hook = true;
    item.hook = hook;
    item.last_hook = last;
    item.layer = layer;
    items_.push_back(item);
  }

  ChunkItem new_item(Part part, std::int32_t layer) const {
    ChunkItem item;
    item.part = part;
    item.layer = layer;
    item.launches = launches_of(scenario_, part);
    return item;
  }

  const Scenario& scenario_;
  const StageMap& stages_;
  const std::int32_t stage_;
  const Direction direction_;
  std::vector<ChunkItem> items_;
};

std::vector<ChunkItem> layered(const Scenario& scenario, const StageMap& stages, std::int32_t stage,
                               Direction direction) {
  std::vector<ChunkItem> items = ChunkWriter(scenario, stages, stage, direction).write();
  if (direction != Direction::forward) std::reverse(items.begin(), items.end());
  return items;
}

std::vector<ChunkItem> chunk_items(const Scenario& scenario, const StageMap& stages,
                                   std::int32_t stage, Direction direction) {
  if (scenario.layers.given) return layered(scenario, stages, stage, direction);
  ChunkItem whole;
  whole.duration_ns = stage_time(scenario, stage, direction);
  return {whole};
}

}  // namespace

std::vector<Chunk> make_chunks(const Scenario& scenario, const StageMap& stages) {
  std::vector<Chunk> chunks;
  chunks.reserve(static_cast<std::size_t>(scenario.stages()));
  for (std::int32_t stage = 0; stage < scenario.stages(); ++stage) {
    chunks.push_back({chunk_items(scenario, stages, stage, Direction::forward),
                      chunk_items(scenario, stages, stage, Direction::backward),
                      chunk_items(scenario, stages, stage, Direction::backward_input),
                      chunk_items(scenario, stages, stage, Direction::backward_weight)});
  }
  return chunks;
}

}  // namespace steptwin
