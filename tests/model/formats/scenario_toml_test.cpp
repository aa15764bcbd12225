#include "model/formats/scenario_toml.h"

#include <cmath>

#include "tests/model/formats/bad_scenario.h"

namespace steptwin {
namespace {

std::string what_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto error = error_of(text, overrides);
  return error ? error->what() : "no error";
}

TEST_CASE("defaults: what two sections do not say") {
  const Scenario scenario = read_scenario(text_of(kStageScenario), "s.toml");
  CHECK(scenario.name.empty());
  CHECK(scenario.file == "s.toml");
  CHECK(scenario.stages() == 2);
  CHECK(scenario.pipeline.schedule == "1f1b");
  CHECK(scenario.pipeline.stage_map == StageMapKind::automatic);
  CHECK(scenario.pipeline.overlap == OverlapMode::none);
  CHECK(scenario.pipeline.p2p == P2pMode::automatic);
  CHECK(scenario.pipeline.overlap_p2p);
  CHECK_FALSE(scenario.pipeline.less_memory);
  CHECK(scenario.pipeline.memory_limit == 0);
  CHECK(scenario.overlap.hooks);
  CHECK(scenario.parallel.expert == 1);
  CHECK(scenario.stage.given);
  CHECK_FALSE(scenario.layers.given);
  CHECK(scenario.stage.forward_us == std::vector<double>{10});
  CHECK(scenario.stage.input_share == 0.5);
  CHECK(scenario.stage.output_bytes == std::vector<Bytes>{0});
  CHECK_FALSE(scenario.network.by_node);
  CHECK(std::isinf(scenario.network.p2p_bandwidth.bytes_per_second));
  CHECK(scenario.network.devices_per_node == 8);
  CHECK(scenario.host.launch_us == 0);
  CHECK(scenario.streams.preset == StreamPreset::two);
}

constexpr std::string_view kFull = R"(name = "every \"key\" \t set"
[pipeline]
ranks = 2
chunks_per_rank = 2
micro_batches = 6
schedule = "zb_heuristic"
stage_map = [0, 1, 1, 0]
overlap = "b_f"
p2p = "plain"
overlap_p2p = false
split_backward = false
less_memory = true
recv_placement = "late"
memory_limit = 3.5
data_steps = true
[overlap]
execution = "threads"
hooks = true
depart = false
[parallel]
expert = 4
fold = true
fsdp = false
offload = false
offload_min_gap = 4
[stage]
activation_bytes = ["1KiB", 2048, "3KiB", "4KiB"]
input_share = 0.25
parameter_bytes = "2GiB"
[layers]
per_stage = [["dense"], ["moe", "dense"], ["moe"], ["moe", "moe"]]
attention_us = { forward = 300, backward_input = 301.5, backward_weight = 200 }
experts_us   = { forward = 400, backward_input = 401, backward_weight = 402 }
mlp_us       = { forward = 500, backward_input = 501, backward_weight = 502 }
embedding_us = { forward = 1, backward_input = 2, backward_weight = 3 }
head_ms      = { forward = 0.5, backward_input = 0.25, backward_weight = 2 }
dispatch_us  = { forward = 250, backward = 251 }
combine_bytes = "16MiB"
counts_us    = { forward = 5, backward = 0 }
output_bytes = 1000
[layers.launches]
attention = 20
experts = 12
mlp = 3
embedding = 4
head = 5
dispatch = 6
combine = 7
counts = 8
[moe]
counts_exchange = true
[network]
intra_node = { latency_us = 3, bandwidth = "200GB/s" }
inter_node = { latency_us = 10, bandwidth = "400Gbit/s" }
devices_per_node = 4
eager_bytes = "64KiB"
[host]
launch_us = 5
event_ms = 0.001
rendezvous_us = 2
wake_us = 3
fork_us = 4
threads = "one"
[comm]
order = "data"
wait = "at_launch"
[streams]
preset = "per_edge"
ep = "experts"
p2p_backward = "c"
data = "e"
[contention]
share_ports = true
compute_loss = 0.125
comm_loss = 0.5
while_waiting = false
host_cores = 12
)";

TEST_CASE("every key set: pipeline, overlap, parallel, stage") {
  const Scenario scenario = read_scenario(kFull, "s.toml");
  CHECK(scenario.name == "every \"key\" \t set");
  const PipelineKeys& pipeline = scenario.pipeline;
  CHECK(pipeline.ranks == 2);
  CHECK(pipeline.chunks_per_rank == 2);
  CHECK(pipeline.micro_batches == 6);
  CHECK(pipeline.schedule == "zb_heuristic");
  CHECK(pipeline.stage_map == StageMapKind::list);
  CHECK(pipeline.stage_map_list == std::vector<std::int32_t>{0, 1, 1, 0});
  CHECK(pipeline.overlap == OverlapMode::b_f);
  CHECK(pipeline.p2p == P2pMode::plain);
  CHECK_FALSE(pipeline.overlap_p2p);
  CHECK(pipeline.less_memory);
  CHECK(pipeline.recv_placement == RecvPlacement::late);
  CHECK(pipeline.memory_limit == 3.5);
  CHECK(pipeline.data_steps);
  CHECK(scenario.overlap.execution == OverlapExecution::threads);
  CHECK(scenario.overlap.hooks);
  CHECK_FALSE(scenario.overlap.depart);
  CHECK(scenario.parallel.expert == 4);
  CHECK(scenario.parallel.offload_min_gap == 4);
  CHECK_FALSE(scenario.stage.given);
  CHECK(scenario.stage.activation_bytes == std::vector<Bytes>{1024, 2048, 3072, 4096});
  CHECK(scenario.stage.input_share == 0.25);
  CHECK(scenario.stage.parameter_bytes == std::vector<Bytes>{Bytes{2} << 30});
}

TEST_CASE("every key set: layers") {
  const LayersKeys layers = read_scenario(kFull, "s.toml").layers;
  const LayerKind moe = LayerKind::moe;
  const LayerKind dense = LayerKind::dense;
  CHECK(layers.given);
  CHECK(layers.stages ==
        std::vector<std::vector<LayerKind>>{{dense}, {moe, dense}, {moe}, {moe, moe}});
  CHECK(layers.attention.forward_us == 300);
  CHECK(layers.attention.backward_input_us == 301.5);
  CHECK(layers.attention.backward_weight_us == 200);
  CHECK(layers.experts.backward_weight_us == 402);
  CHECK(layers.mlp.backward_input_us == 501);
  CHECK(layers.embedding.forward_us == 1);
  CHECK(layers.head.forward_us == 500);
  CHECK(layers.head.backward_input_us == 250);
  CHECK(layers.head.backward_weight_us == 2000);
  CHECK(layers.dispatch.forward_us == 250);
  CHECK(layers.dispatch.backward_us == 251);
  CHECK(layers.dispatch.bytes == -1);
  CHECK(layers.combine.bytes == Bytes{16} << 20);
  CHECK(layers.counts.forward_us == 5);
  CHECK(layers.output_bytes == 1000);
  const std::map<Part, std::int32_t> launches = {
      {Part::attention, 20}, {Part::experts, 12}, {Part::mlp, 3},     {Part::embedding, 4},
      {Part::head, 5},       {Part::dispatch, 6}, {Part::combine, 7}, {Part::counts, 8}};
  CHECK(layers.launches == launches);
}

TEST_CASE("every key set: network, host, comm, streams") {
  const Scenario scenario = read_scenario(kFull, "s.toml");
  CHECK(scenario.moe.counts_exchange);
  CHECK(scenario.network.by_node);
  CHECK(scenario.network.intra_node.latency_us == 3);
  CHECK(scenario.network.intra_node.bandwidth == Bandwidth{200e9});
  CHECK(scenario.network.inter_node.latency_us == 10);
  CHECK(scenario.network.inter_node.bandwidth == Bandwidth{50e9});
  CHECK(scenario.network.devices_per_node == 4);
  CHECK(scenario.network.eager_bytes == 65'536);
  CHECK(scenario.contention.share_ports);
  CHECK(scenario.contention.compute_loss == 0.125);
  CHECK(scenario.contention.comm_loss == 0.5);
  CHECK_FALSE(scenario.contention.while_waiting);
  CHECK(scenario.contention.host_cores == 12);
  CHECK(scenario.host.launch_us == 5);
  CHECK(scenario.host.event_us == 1);
  CHECK(scenario.host.rendezvous_us == 2);
  CHECK(scenario.host.wake_us == 3);
  CHECK(scenario.host.fork_us == 4);
  CHECK(scenario.host.one_launch_lock);
  CHECK(scenario.comm.order == CommOrder::data);
  CHECK(scenario.comm.wait == CommWait::at_launch);
  CHECK(scenario.streams.preset == StreamPreset::per_edge);
  CHECK(scenario.streams.ep == "experts");
  CHECK(scenario.streams.p2p_backward == "c");
  CHECK(scenario.streams.data == "e");
}

TEST_CASE("every key set: those that leave others without effect") {
  const auto with = [](const std::vector<std::string>& overrides) {
    return read_scenario(kFull, "s.toml", overrides);
  };
  const Scenario sequential = with({"overlap.execution=sequential", "overlap.depart=true"});
  CHECK(sequential.overlap.execution == OverlapExecution::sequential);
  CHECK_FALSE(with({"overlap.hooks=false", "overlap.depart=true"}).overlap.hooks);
  CHECK(with({"streams.p2p_backward=", "streams.preset=two", "streams.p2p=a"}).streams.p2p == "a");
  CHECK(with({"streams.p2p_forward=b", "streams.preset=two"}).streams.p2p_forward == "b");
}

TEST_CASE("the four forms of per_stage") {
  const std::string mlp = "\nmlp_us = { forward = 1, backward_input = 1, backward_weight = 1 }";
  const auto layers_of = [&mlp](const std::string& per_stage) {
    const bool has_dense = per_stage.find("dense") != std::string::npos;
    const std::string keys = "per_stage = " + per_stage + (has_dense ? mlp : "");
    return read_scenario(text_of(kLayersScenario, 6, keys), "s.toml").layers.stages;
  };
  using Stages = std::vector<std::vector<LayerKind>>;
  const LayerKind moe = LayerKind::moe;
  const LayerKind dense = LayerKind::dense;
  CHECK(layers_of("2") == Stages{{moe, moe}, {moe, moe}});
  CHECK(layers_of("[1, 2]") == Stages{{moe}, {moe, moe}});
  CHECK(layers_of("[\"dense\", \"moe\"]") == Stages{{dense, moe}, {dense, moe}});
  CHECK(layers_of("[[\"dense\"], [\"moe\", \"dense\"]]") == Stages{{dense}, {moe, dense}});
}

TEST_CASE("a link class that is not given has the p2p_ keys") {
  const Scenario scenario =
      read_scenario(text_of(kStageScenario, 10,
                            "[network]\np2p_latency_us = 9\np2p_bandwidth = \"1GB/s\"\n"
                            "intra_node = { latency_us = 1 }"),
                    "s.toml");
  CHECK(scenario.network.by_node);
  CHECK(scenario.network.intra_node.latency_us == 1);
  CHECK(std::isinf(scenario.network.intra_node.bandwidth.bytes_per_second));
  CHECK(scenario.network.inter_node.latency_us == 9);
  CHECK(scenario.network.inter_node.bandwidth == Bandwidth{1e9});
}

TEST_CASE("the whole document: name, sections, duplicates, syntax") {
  check_errors(
      kStageScenario,
      {
          {10, "[netwrok]", 10, 2, "unknown key \"netwrok\"", "did you mean network?"},
          {10, "[quantum]\nx = 1", 10, 2, "unknown key \"quantum\"", "one of name, pipeline"},
          {1, "nmae = \"x\"\n[pipeline]", 1, 1, "unknown key \"nmae\"", "did you mean name?"},
          {1, "name = 5\n[pipeline]", 1, 8, "name is 5", "a text of at most 256 bytes"},
          {1, "name = \"" + std::string(257, 'n') + "\"\n[pipeline]", 1, 8,
           "name is \"" + std::string(32, 'n') + "\"...", "at most 256"},
          {1, "host = 1\n[pipeline]", 1, 8, "host is 1", "a table"},
          {1, "[[pipeline]]", 1, 1, "pipeline is a list of 1 value", "a table"},
          {3, "ranks = 3", 3, 9,
           "Error while parsing key-value pair: cannot redefine existing integer 'ranks'",
           "valid TOML"},
          {10, "[pipeline]", 10, 1,
           "Error while parsing table header: cannot redefine existing table 'pipeline'",
           "valid TOML"},
          {3, "\"é\" = 1 x", 3, 9,
           "Error while parsing key-value pair: expected a comment or whitespace, saw 'x'",
           "valid TOML"},
          {7, "forward_us = 1e999", 7, 19,
           "Error while parsing floating-point: '1e999' could not be interpreted as a value",
           "valid TOML"},
          {7, "forward_us = 99999999999999999999", 7, 34,
           "Error while parsing decimal integer: '99999999999999999999' is not representable in "
           "64 bits",
           "valid TOML"},
          {5, "schedule = \"1f1b", 5, 17,
           "Error while parsing string: unescaped control characters other than TAB (U+0009) are "
           "explicitly prohibited",
           "valid TOML"},
      });
}

TEST_CASE("no scenario at all") {
  CHECK(what_of("") ==
        "s.toml:1:1: error: pipeline is missing; expected a section with ranks, micro_batches and "
        "schedule");
  CHECK(what_of("# only a comment\n").starts_with("s.toml:1:1: error: pipeline is missing"));
  const std::string binary("\x7f\x45LF\x02\x01\x01\0\0\xff", 10);
  CHECK(what_of(binary).starts_with("s.toml:1:"));
  CHECK(what_of(binary).find("; expected valid TOML") != std::string::npos);
  CHECK(what_of(std::string(64, '\0')).starts_with("s.toml:1:1: error: "));
}

TEST_CASE("hostile texts are errors, soon") {
  CHECK(what_of("a = \"" + std::string(100'000'000, 'a')) ==
        "s.toml: error: 100000005 bytes are too many; expected a scenario of at most 16777216 "
        "bytes; costs per stage may be in a CSV file");
  CHECK(what_of("a = " + std::string(100'000, '[')).find("exceeded maximum nested value depth") !=
        std::string::npos);
  std::string tables = "a = ";
  for (int depth = 0; depth < 100'000; ++depth) tables += "{a=";
  CHECK(what_of(tables).find("exceeded maximum nested value depth") != std::string::npos);
  std::string dotted = "[a";
  for (int depth = 0; depth < 1'000'000; ++depth) dotted += ".a";
  CHECK(what_of(dotted + "]\n") ==
        "s.toml:1:17: error: a key of more than 8 parts; expected at most section.table.key");
  std::string quoted = "\na.\"=,[\"";
  for (int depth = 0; depth < 1'000'000; ++depth) quoted += ".\"=\" . '}\n'";
  CHECK(what_of(quoted).starts_with("s.toml:"));
  const std::string long_name(1'000'000, 'k');
  CHECK(what_of(long_name + " = 1\n" + long_name + " = 2\n").size() < 400);
}

TEST_CASE("overrides replace, create sections, and win in order") {
  const std::string text = text_of(kStageScenario);
  const Scenario scenario = read_scenario(
      text, "s.toml",
      {"pipeline.micro_batches=16", "pipeline.schedule=gpipe",
       "network.inter_node.bandwidth=50GB/s", " host.launch_us = 4.5 ",
       "network.intra_node.latency_us=2", "stage.forward_us=[1, 2]", "pipeline.micro_batches=24",
       "name=say \"hi\" \\ back", "network.intra_node={bandwidth=\"7GB/s\"}", "streams.ep="});
  CHECK(scenario.pipeline.micro_batches == 24);
  CHECK(scenario.pipeline.schedule == "gpipe");
  CHECK(scenario.network.inter_node.bandwidth == Bandwidth{50e9});
  CHECK(scenario.host.launch_us == 4.5);
  CHECK(scenario.network.intra_node.latency_us == 0);
  CHECK(scenario.network.intra_node.bandwidth == Bandwidth{7e9});
  CHECK(scenario.stage.forward_us == std::vector<double>{1, 2});
  CHECK(scenario.name == "say \"hi\" \\ back");
  CHECK(scenario.streams.ep.empty());
  const Scenario infinite = read_scenario(text, "s.toml", {"network.p2p_bandwidth=inf"});
  CHECK(std::isinf(infinite.network.p2p_bandwidth.bytes_per_second));
}

TEST_CASE("an override reaches into an inline table and leaves the rest of it") {
  const Scenario scenario =
      read_scenario(text_of(kLayersScenario), "s.toml", {"layers.attention_us.forward=77"});
  CHECK(scenario.layers.attention.forward_us == 77);
  CHECK(scenario.layers.attention.backward_input_us == 1);
}

TEST_CASE("errors of overrides name the override") {
  const std::string text = text_of(kStageScenario);
  CHECK(what_of(text, {"pipeline.micro_batches=x"}) ==
        "--set pipeline.micro_batches: error: pipeline.micro_batches is \"x\"; expected a whole "
        "number from 1 to 16777215");
  CHECK(what_of(text, {"pipeline.micro_batches=0"})
            .starts_with("--set pipeline.micro_batches: error: pipeline.micro_batches is 0"));
  CHECK(what_of(text, {"pipeline.rank=4"})
            .starts_with("--set pipeline.rank: error: unknown key \"rank\" in [pipeline]"));
  CHECK(what_of(text, {"hosts.launch_us=4"})
            .starts_with("--set hosts.launch_us: error: unknown key \"hosts\""));
  CHECK(what_of(text, {"pipeline=4"}) == "--set pipeline: error: pipeline is 4; expected a table");
  CHECK(what_of(text, {"pipeline.ranks.x=4"}) ==
        "--set pipeline.ranks.x: error: pipeline.ranks is a table; expected a whole number from 1 "
        "to 65536");
  CHECK(what_of(text, {"name=1\nhost.launch_us = 3", "name=5"}) ==
        "--set name: error: name is 5; expected a text of at most 256 bytes");
  for (const std::string bad : {"", "=", "pipeline", "pipeline.=4", ".ranks=4", "a..b=4", "=4",
                                "a b=4", "\"a\"=4", "a.b.c.d.e.f.g.h.i=4"}) {
    CAPTURE(bad);
    CHECK(what_of(text, {bad}) ==
          "--set: error: \"" + (bad == "\"a\"=4" ? std::string("\\\"a\\\"=4") : bad) +
              "\" is not an override; expected key=value, like pipeline.micro_batches=16");
  }
}

TEST_CASE("what the parser quotes stays on one line") {
  CHECK(what_of("[pipeline]\nranks = tr\n", {}).find('\n') == std::string::npos);
  CHECK(what_of("[pipeline]\nranks = tr\n", {}).find("saw 'tr\\x0a'") != std::string::npos);
}

TEST_CASE("positions of the text stay where they are when overrides are there") {
  CHECK(
      what_of(text_of(kStageScenario, 7, "forward_us = -1"), {"pipeline.ranks=4", "host.wake_us=1"})
          .starts_with("s.toml:7:14: error: stage.forward_us is -1"));
}

}  // namespace
}  // namespace steptwin
