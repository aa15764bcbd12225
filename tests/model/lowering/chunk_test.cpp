#include "model/lowering/chunk.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

namespace steptwin {
namespace {

// "attention1(300) [A1] dispatch1(250c) [B1] ...": nanoseconds, c for a collective, h if the host
// waits for it, x2 for two device launches, [D1!] for the chunk's last hook.
std::string words(const std::vector<ChunkItem>& items) {
  std::string text;
  for (const ChunkItem& item : items) {
    if (!text.empty()) text += " ";
    const std::string layer = item.layer < 0 ? "" : std::to_string(item.layer + 1);
    if (item.is_hook) {
      text += fmt::format("[{}{}{}]", name_of(item.hook), layer, item.last_hook ? "!" : "");
      continue;
    }
    text += fmt::format("{}{}({}{}{})", name_of(item.part), layer, item.duration_ns,
                        item.kind == KernelKind::all_to_all ? "c" : "", item.host_waits ? "h" : "");
    if (item.launches != 1) text += fmt::format("x{}", item.launches);
  }
  return text;
}

// System: stage 0 = moe, dense; stage 1 = dense; stage 2 = moe, moe. Nanoseconds in the thousands
// of the keys: forward, backward_input, backward_weight.
Scenario layered() {
  Scenario scenario;
  scenario.pipeline.ranks = 3;
  LayersKeys& layers = scenario.layers;
  layers.given = true;
  layers.stages = {
      {LayerKind::moe, LayerKind::dense}, {LayerKind::dense}, {LayerKind::moe, LayerKind::moe}};
  layers.attention = {0.001, 0.002, 0.003};
  layers.experts = {0.010, 0.020, 0.030};
  layers.mlp = {0.100, 0.200, 0.300};
  layers.dispatch = {0.004, 0.005, -1};
  layers.combine = {0.006, 0.007, -1};
  layers.counts = {0.001, 0, -1};
  return scenario;
}

std::vector<Chunk> chunks_of(const Scenario& scenario) {
  return make_chunks(scenario,
                     loop_map(scenario.pipeline.ranks, scenario.pipeline.chunks_per_rank));
}

TEST_CASE("costs per stage: a chunk is one kernel and has no hooks") {
  Scenario scenario;
  scenario.pipeline.ranks = 2;
  scenario.stage.given = true;
  scenario.stage.forward_us = {0.001, 0.002};
  scenario.stage.backward_input_us = {0.003};
  scenario.stage.backward_weight_us = {0.004};
  const std::vector<Chunk> chunks = chunks_of(scenario);
  REQUIRE(chunks.size() == 2);
  CHECK(words(chunks[0].forward) == "chunk(1)");
  CHECK(words(chunks[1].forward) == "chunk(2)");
  CHECK(words(chunks[1].backward) == "chunk(7)");
  CHECK(words(chunks[1].backward_input) == "chunk(3)");
  CHECK(words(chunks[1].backward_weight) == "chunk(4)");
}

TEST_CASE("a MoE layer: attention, A dispatch B, experts, C combine D; a dense one has no hooks") {
  const std::vector<Chunk> chunks = chunks_of(layered());
  // The last hook is that of the last MoE layer, though a dense layer follows.
  CHECK(words(chunks[0].forward) ==
        "attention1(1) [A1] dispatch1(4c) [B1] experts1(10) [C1] combine1(6c) [D1!] "
        "attention2(1) mlp2(100)");
  CHECK(words(chunks[1].forward) == "attention1(1) mlp1(100)");
  CHECK(words(chunks[2].forward) ==
        "attention1(1) [A1] dispatch1(4c) [B1] experts1(10) [C1] combine1(6c) [D1] "
        "attention2(1) [A2] dispatch2(4c) [B2] experts2(10) [C2] combine2(6c) [D2!]");
}

TEST_CASE("the backward is the exact reverse, each kernel with data and weight gradients in one") {
  const std::vector<Chunk> chunks = chunks_of(layered());
  CHECK(words(chunks[0].backward) ==
        "mlp2(500) attention2(5) [D1!] combine1(7c) [C1] experts1(50) [B1] dispatch1(5c) [A1] "
        "attention1(5)");
  CHECK(words(chunks[1].backward) == "mlp1(500) attention1(5)");
}

TEST_CASE("a divided backward: all communication with the data gradients, none with the weights") {
  const std::vector<Chunk> chunks = chunks_of(layered());
  CHECK(words(chunks[0].backward_input) ==
        "mlp2(200) attention2(2) [D1!] combine1(7c) [C1] experts1(20) [B1] dispatch1(5c) [A1] "
        "attention1(2)");
  CHECK(words(chunks[0].backward_weight) == "mlp2(300) attention2(3) experts1(30) attention1(3)");
}

TEST_CASE("the first stage begins with the embedding, the last one ends with the head") {
  Scenario scenario = layered();
  scenario.layers.embedding = {0.001, 0, 0};
  scenario.layers.head = {0.002, 0.003, 0.004};
  const std::vector<Chunk> chunks = chunks_of(scenario);
  CHECK(words(chunks[0].forward).rfind("embedding(1) attention1(1) [A1]", 0) == 0);
  // What costs nothing in one direction is still there: the reverse is exact.
  CHECK(words(chunks[0].backward).ends_with("attention1(5) embedding(0)"));
  CHECK(words(chunks[1].forward) == "attention1(1) mlp1(100)");
  CHECK(words(chunks[2].forward).ends_with("combine2(6c) [D2!] head(2)"));
  CHECK(words(chunks[2].backward_input).rfind("head(3) [D2!] combine2(7c)", 0) == 0);
  CHECK(words(chunks[2].backward_weight).rfind("head(4) experts2(30)", 0) == 0);
}

TEST_CASE("a single stage has both, and a part without any cost is no kernel") {
  Scenario scenario = layered();
  scenario.pipeline.ranks = 1;
  scenario.layers.stages = {{LayerKind::dense}};
  scenario.layers.embedding = {0.001, 0.001, 0.001};
  scenario.layers.head = {0, 0, 0.001};
  CHECK(words(chunks_of(scenario)[0].forward) == "embedding(1) attention1(1) mlp1(100) head(0)");
  scenario.layers.head = {};
  CHECK(words(chunks_of(scenario)[0].forward) == "embedding(1) attention1(1) mlp1(100)");
}

TEST_CASE("each copy of the model has an embedding and a head") {
  Scenario scenario = layered();
  scenario.pipeline.ranks = 2;
  scenario.pipeline.chunks_per_rank = 2;
  scenario.layers.stages.assign(4, {LayerKind::dense});
  scenario.layers.embedding = {0.001, 0, 0};
  scenario.layers.head = {0.002, 0, 0};
  const std::vector<Chunk> chunks = make_chunks(scenario, mirrored_map(2));
  REQUIRE(chunks.size() == 4);
  for (const std::size_t first : {0, 2}) {
    CHECK(words(chunks[first].forward) == "embedding(1) attention1(1) mlp1(100)");
    CHECK(words(chunks[first + 1].forward) == "attention1(1) mlp1(100) head(2)");
  }
}

TEST_CASE(
    "the counts exchange comes before the dispatch, forward only, and the host waits for it") {
  Scenario scenario = layered();
  scenario.moe.counts_exchange = true;
  const std::vector<Chunk> chunks = chunks_of(scenario);
  CHECK(words(chunks[0].forward).rfind("attention1(1) [A1] counts1(1ch) dispatch1(4c) [B1]", 0) ==
        0);
  CHECK(words(chunks[0].backward).find("counts") == std::string::npos);
  CHECK(words(chunks[0].backward_input).find("counts") == std::string::npos);
}

TEST_CASE("launches count for the parts they are given for; bytes make the times") {
  Scenario scenario = layered();
  scenario.layers.launches = {{Part::attention, 20}, {Part::dispatch, 3}};
  scenario.layers.dispatch = {0, 0, 4000};
  scenario.parallel.expert = 4;
  scenario.network.p2p_latency_us = 2;
  scenario.network.p2p_bandwidth = Bandwidth{1e9};
  const Chunk chunk = chunks_of(scenario)[0];
  // Of 4000 bytes 3000 leave the device: 2000 ns + 3000 ns, both ways.
  CHECK(
      words(chunk.forward).rfind("attention1(1)x20 [A1] dispatch1(5000c)x3 [B1] experts1(10)", 0) ==
      0);
  CHECK(words(chunk.backward).find("dispatch1(5000c)x3") != std::string::npos);
  CHECK(chunk.forward[2].bytes == 4000);
  // A part whose times are given moves no known number of bytes.
  CHECK(chunk.forward[6].part == Part::combine);
  CHECK(chunk.forward[6].bytes == 0);
}

}  // namespace
}  // namespace steptwin
