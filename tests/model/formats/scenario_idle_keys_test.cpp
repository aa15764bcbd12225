#include "tests/model/formats/bad_scenario.h"

// Values that are right by themselves and would change nothing.
namespace steptwin {
namespace {

const std::string kRemoved = "the key removed";
const std::string kNoOverlap = " has no effect because pipeline.overlap is \"none\"";
const std::string kNoMoe = " has no effect because no layer is moe";
const std::string kMoeLayers = "the key removed, or moe layers in layers.per_stage";

// Dense layers: no dispatch, no combine, no hooks.
const ScenarioLines kDenseScenario = {
    "[pipeline]",                                                               // 1
    "ranks = 2",                                                                // 2
    "chunks_per_rank = 2",                                                      // 3
    "micro_batches = 8",                                                        // 4
    "schedule = \"interleaved_1f1b\"",                                          // 5
    "overlap = \"b_f\"",                                                        // 6
    "[layers]",                                                                 // 7
    "per_stage = [\"dense\"]",                                                  // 8
    "attention_us = { forward = 1, backward_input = 1, backward_weight = 1 }",  // 9
    "mlp_us = { forward = 1, backward_input = 1, backward_weight = 1 }",        // 10
};

// MoE layers whose backward overlaps a forward.
const ScenarioLines kOverlapScenario = {
    "[pipeline]",                                                               // 1
    "ranks = 2",                                                                // 2
    "chunks_per_rank = 2",                                                      // 3
    "micro_batches = 8",                                                        // 4
    "schedule = \"interleaved_1f1b\"",                                          // 5
    "overlap = \"b_f\"",                                                        // 6
    "[layers]",                                                                 // 7
    "per_stage = 1",                                                            // 8
    "attention_us = { forward = 1, backward_input = 1, backward_weight = 1 }",  // 9
    "experts_us = { forward = 1, backward_input = 1, backward_weight = 1 }",    // 10
    "dispatch_us = { forward = 1, backward = 1 }",                              // 11
    "combine_us = { forward = 1, backward = 1 }",                               // 12
};

TEST_CASE("a memory limit with a schedule that obeys none") {
  check_errors(kStageScenario,
               {{5, "schedule = \"1f1b\"\nmemory_limit = 2", 6, 16,
                 "pipeline.memory_limit has no effect because schedule 1f1b obeys none",
                 "the key removed, or pipeline.schedule = \"zb_heuristic\""}});
  CHECK_FALSE(error_of(text_of(kStageScenario, 5, "schedule = \"zb_heuristic\"\nmemory_limit = 2"))
                  .has_value());
}

TEST_CASE("keys of building a schedule that is in a file") {
  const std::string file = "schedule_file = \"x.steps\"\n";
  const std::string reason = " has no effect because the schedule is in pipeline.schedule_file";
  const std::string instead = "the key removed, or pipeline.schedule in its place";
  check_errors(kStageScenario,
               {{5, file + "overlap = \"f_b\"", 6, 11, "pipeline.overlap" + reason, instead},
                {5, file + "less_memory = true", 6, 15, "pipeline.less_memory" + reason, instead},
                {5, file + "memory_limit = 4", 6, 16, "pipeline.memory_limit" + reason, instead},
                {5, file + "data_steps = true", 6, 14, "pipeline.data_steps" + reason, instead}});
  CHECK_FALSE(error_of(text_of(kStageScenario, 5, file + "overlap = \"none\"\nmemory_limit = 0"))
                  .has_value());
}

TEST_CASE("a schedule that always overlaps, and one in a file, which may") {
  const std::string sequential = "\nchunks_per_rank = 2\n[overlap]\nexecution = \"sequential\"";
  const ScenarioLines lines = {kStageScenario[0],
                               kStageScenario[1],
                               "",
                               kStageScenario[3],
                               "",
                               kStageScenario[5],
                               kStageScenario[6],
                               kStageScenario[7],
                               kStageScenario[8]};
  for (const char* schedule :
       {"schedule = \"dualpipe\"", "schedule = \"dualpipe_v\"", "schedule_file = \"x.steps\""}) {
    CAPTURE(schedule);
    CHECK_FALSE(error_of(text_of(lines, 5, schedule + sequential)).has_value());
  }
  CHECK(error_of(text_of(lines, 5, "schedule = \"zbv\"" + sequential)).has_value());
}

TEST_CASE("keys of an overlap where nothing overlaps") {
  check_errors(
      kLayersScenario,
      {{11, "[overlap]\nexecution = \"sequential\"", 12, 13, "overlap.execution" + kNoOverlap,
        "or pipeline.overlap = \"b_f\""},
       {11, "[overlap]\nhooks = false", 12, 9, "overlap.hooks" + kNoOverlap, kRemoved},
       {11, "[overlap]\ndepart = false", 12, 10, "overlap.depart" + kNoOverlap, kRemoved}});
}

TEST_CASE("hooks where there are none") {
  const std::string no_hooks = kNoMoe + ", and only those have hooks";
  check_errors(
      kDenseScenario,
      {{11, "[overlap]\nhooks = false", 12, 9, "overlap.hooks" + no_hooks, kMoeLayers},
       {11, "[overlap]\ndepart = false", 12, 10, "overlap.depart" + no_hooks, kMoeLayers}});
  check_errors(
      kOverlapScenario,
      {{13, "[overlap]\nexecution = \"sequential\"\nhooks = false", 15, 9,
        "overlap.hooks has no effect because overlap.execution is \"sequential\"",
        "or overlap.execution = \"threads\""},
       {13, "[overlap]\nexecution = \"sequential\"\ndepart = false", 15, 10,
        "overlap.depart has no effect because overlap.execution is \"sequential\"", kRemoved},
       {13, "[overlap]\nhooks = false\ndepart = false", 15, 10,
        "overlap.depart has no effect because overlap.hooks is false", "or overlap.hooks = true"}});
  for (const std::string keys : {"hooks = false", "depart = false", "execution = \"sequential\""}) {
    CHECK_FALSE(error_of(text_of(kOverlapScenario, 13, "[overlap]\n" + keys)).has_value());
  }
}

TEST_CASE("peers of all-to-alls whose times are given") {
  check_errors(kLayersScenario,
               {{11, "[parallel]\nexpert = 8", 12, 10,
                 "parallel.expert has no effect because the all-to-alls are timed in _us and all "
                 "links are alike",
                 "the key removed, or dispatch_bytes and combine_bytes, or network.intra_node and "
                 "network.inter_node"}});
  for (const std::string links : {"[network]\nintra_node = {latency_us = 1}", ""}) {
    const std::string dispatch = links.empty() ? "dispatch_bytes = 5" : kLayersScenario[8];
    CHECK_FALSE(error_of(text_of(kLayersScenario, 9, dispatch) + "[parallel]\nexpert = 8\n" + links)
                    .has_value());
  }
}

TEST_CASE("keys of transfers where there is one rank; how streams are laid out may stay") {
  ScenarioLines lines = kStageScenario;
  lines[1] = "ranks = 1";
  const std::string reason = " has no effect because one rank has nobody to send to";
  const std::string instead = "the key removed, or pipeline.ranks = 2 or more";
  const std::string line = "schedule = \"1f1b\"\n";
  check_errors(
      lines,
      {{5, line + "p2p = \"plain\"", 6, 7, "pipeline.p2p" + reason, instead},
       {5, line + "overlap_p2p = false", 6, 15, "pipeline.overlap_p2p" + reason, instead},
       {5, line + "recv_placement = \"late\"", 6, 18, "pipeline.recv_placement" + reason, instead},
       {10, "[streams]\np2p = \"a\"", 11, 7, "streams.p2p" + reason, instead},
       {10, "[streams]\np2p_forward = \"a\"", 11, 15, "streams.p2p_forward" + reason, instead},
       {10, "[streams]\np2p_backward = \"a\"", 11, 16, "streams.p2p_backward" + reason, instead},
       {10, "[comm]\norder = \"data\"", 11, 9, "comm.order" + reason, instead}});
  for (const std::string keys : {"[streams]\npreset = \"per_edge\"", "[streams]\np2p = \"\"",
                                 "[comm]\norder = \"data\"\n[parallel]\nexpert = 2\nfsdp = true"}) {
    CHECK_FALSE(error_of(text_of(lines, 10, keys)).has_value());
  }
  ScenarioLines layers = kLayersScenario;
  layers[1] = "ranks = 1";
  CHECK_FALSE(error_of(text_of(layers, 11, "[comm]\norder = \"data\"")).has_value());
}

TEST_CASE("costs of parts that no layer has") {
  const std::string compute = "{ forward = 1, backward_input = 0, backward_weight = 0 }";
  check_errors(
      kDenseScenario,
      {{11, "experts_us = " + compute, 11, 14, "layers.experts_us" + kNoMoe, kMoeLayers},
       {11, "dispatch_ms = { forward = 1, backward = 0 }", 11, 15, "layers.dispatch_ms" + kNoMoe,
        kMoeLayers},
       {11, "combine_bytes = 5", 11, 17, "layers.combine_bytes" + kNoMoe, kMoeLayers},
       {11, "counts_us = { forward = 1 }", 11, 13, "layers.counts_us" + kNoMoe, kMoeLayers},
       {11, "[moe]\ncounts_exchange = true", 12, 19, "moe.counts_exchange" + kNoMoe, kMoeLayers},
       {11, "[comm]\nwait = \"at_launch\"", 12, 8,
        "comm.wait has no effect because it is about collectives, and no layer is moe", kMoeLayers},
       {11, "[streams]\nep = \"x\"", 12, 6, "streams.ep" + kNoMoe, kMoeLayers}});
  check_errors(
      kLayersScenario,
      {{11, "mlp_us = " + compute, 11, 10, "layers.mlp_us has no effect because no layer is dense",
        "the key removed, or dense layers in layers.per_stage"},
       {11, "counts_bytes = 5", 11, 16,
        "layers.counts_bytes has no effect because moe.counts_exchange is false",
        "the key removed, or moe.counts_exchange = true"}});
  check_errors(
      kStageScenario,
      {{10, "[moe]\ncounts_exchange = true", 11, 19, "moe.counts_exchange" + kNoMoe, kMoeLayers},
       {10, "[comm]\nwait = \"at_launch\"", 11, 8,
        "comm.wait has no effect because it is about collectives, and no layer is moe",
        kMoeLayers}});
}

TEST_CASE("the counts of a backward: not required, and refused where given") {
  const std::string exchange = "\n[moe]\ncounts_exchange = true";
  check_errors(kLayersScenario,
               {{11, "counts_us = { forward = 1, backward = 2 }" + exchange, 11, 39,
                 "layers.counts_us.backward has no effect because a backward uses the counts of "
                 "its forward",
                 kRemoved}});
  for (const std::string counts : {"{ forward = 1 }", "{ forward = 1, backward = 0 }"}) {
    CHECK_FALSE(
        error_of(text_of(kLayersScenario, 11, "counts_us = " + counts + exchange)).has_value());
  }
}

TEST_CASE("launches of parts without a kernel") {
  const auto launches = [](const std::string& part, const std::string& because) {
    const int column = 16 + static_cast<int>(part.size());
    return BadCase{11,
                   "launches = { " + part + " = 2 }",
                   11,
                   column + 1,
                   "layers.launches." + part + " has no effect because " + because,
                   kRemoved};
  };
  check_errors(
      kDenseScenario,
      {launches("experts", "no layer is moe"), launches("dispatch", "no layer is moe"),
       launches("combine", "no layer is moe"), launches("counts", "no layer is moe"),
       launches("embedding", "layers.embedding_us is 0"), launches("head", "layers.head_us is 0")});
  check_errors(kLayersScenario, {launches("mlp", "no layer is dense"),
                                 launches("counts", "moe.counts_exchange is false")});
  CHECK_FALSE(error_of(text_of(kLayersScenario, 11, "launches = { attention = 2, experts = 2 }"))
                  .has_value());
}

TEST_CASE("links: nodes without links of their own, and links that both are given") {
  const std::string both = "intra_node = { latency_us = 1 }\ninter_node = { latency_us = 2 }\n";
  const std::string because =
      " has no effect because network.intra_node and network.inter_node are both given";
  check_errors(
      kStageScenario,
      {{10, "[network]\ndevices_per_node = 4", 11, 20,
        "network.devices_per_node has no effect because all links are alike",
        "the key removed, or network.intra_node and network.inter_node, or "
        "contention.host_cores"},
       {10, "[network]\n" + both + "p2p_latency_us = 3", 13, 18, "network.p2p_latency_us" + because,
        "the key removed, or one of those two removed"},
       {10, "[network]\n" + both + "p2p_latency_ms = 3", 13, 18, "network.p2p_latency_ms" + because,
        kRemoved},
       {10, "[network]\n" + both + "p2p_bandwidth = \"1GB/s\"", 13, 17,
        "network.p2p_bandwidth" + because, kRemoved}});
  for (const std::string key : {"p2p_latency_us = 3", "p2p_bandwidth = \"1GB/s\""}) {
    CHECK_FALSE(
        error_of(text_of(kStageScenario, 10, "[network]\ninter_node = { latency_us = 2 }\n" + key))
            .has_value());
  }
}

TEST_CASE("contention: of communication that does not occur, of waiting that costs nothing") {
  ScenarioLines one_rank = kStageScenario;
  one_rank[1] = "ranks = 1";
  const std::string alone =
      " has no effect because there is one rank, which communicates with nobody";
  check_errors(
      one_rank,
      {{10, "[contention]\nshare_ports = true", 11, 15, "contention.share_ports" + alone, kRemoved},
       {10, "[contention]\ncompute_loss = 0.1", 11, 16, "contention.compute_loss" + alone,
        kRemoved},
       {10, "[contention]\ncomm_loss = 0.1", 11, 13, "contention.comm_loss" + alone, kRemoved},
       {10, "[network]\neager_bytes = 1", 11, 15,
        "network.eager_bytes has no effect because there is one rank, which sends nothing",
        kRemoved}});
  CHECK_FALSE(error_of(text_of(one_rank, 10, "[contention]\nhost_cores = 1")).has_value());
  check_errors(kStageScenario, {{10, "[contention]\ncomm_loss = 0.1\nwhile_waiting = false", 12, 17,
                                 "contention.while_waiting has no effect because "
                                 "contention.compute_loss is 0",
                                 "the key removed, or a contention.compute_loss above 0"}});
  for (const std::string keys :
       {"share_ports = true", "comm_loss = 0.1", "compute_loss = 0.1\nwhile_waiting = false"}) {
    CHECK_FALSE(error_of(text_of(kStageScenario, 10, "[contention]\n" + keys)).has_value());
  }
}

TEST_CASE("streams: of traffic that does not occur, of classes that have streams of their own") {
  const std::string ways = "p2p_forward = \"a\"\np2p_backward = \"b\"\n";
  const std::string own =
      "streams.preset has no effect because every class it moves has a stream "
      "of its own name";
  check_errors(
      kLayersScenario,
      {{11, "[streams]\nfsdp = \"x\"", 12, 8,
        "streams.fsdp has no effect because parallel.fsdp is false", kRemoved},
       {11, "[streams]\ndata = \"x\"", 12, 8,
        "streams.data has no effect because pipeline.data_steps is false",
        "the key removed, or pipeline.data_steps = true"},
       {11, "[streams]\n" + ways + "p2p = \"c\"", 14, 7,
        "streams.p2p has no effect because streams.p2p_forward and streams.p2p_backward are both "
        "given",
        "the key removed, or one of those two removed"},
       {11, "[streams]\npreset = \"per_edge\"\n" + ways, 12, 10, own,
        "the key removed, or a class left to the preset"},
       {11, "[streams]\npreset = \"unqueued\"\np2p = \"a\"", 12, 10, own, kRemoved},
       {11, "[streams]\npreset = \"per_group\"\np2p = \"a\"\nep = \"b\"", 12, 10, own, kRemoved}});
  for (const std::string keys :
       {"preset = \"per_group\"\np2p = \"a\"", "preset = \"per_group\"\nep = \"a\"",
        "preset = \"per_edge\"\np2p_forward = \"a\"", "p2p_forward = \"a\"\np2p = \"b\""}) {
    CHECK_FALSE(error_of(text_of(kLayersScenario, 11, "[streams]\n" + keys)).has_value());
  }
}

TEST_CASE("streams: names that the preset gives anyway") {
  const std::string reason = " has no effect because it is on that stream without it";
  const auto streams = [](const std::string& preset, const std::string& keys) {
    return "[streams]\npreset = \"" + preset + "\"\n" + keys;
  };
  check_errors(
      kLayersScenario,
      {{11, streams("two", "ep = \"comm\""), 13, 6, "streams.ep" + reason, kRemoved},
       {11, streams("two", "p2p = \"comm\""), 13, 7, "streams.p2p" + reason, kRemoved},
       {11, streams("two", "p2p_forward = \"comm\""), 13, 15, "streams.p2p_forward" + reason,
        kRemoved},
       {11, streams("two", "p2p = \"a\"\np2p_backward = \"a\""), 14, 16,
        "streams.p2p_backward" + reason, kRemoved},
       {11, streams("per_group", "ep = \"ep\""), 13, 6, "streams.ep" + reason, kRemoved},
       {11, streams("per_group", "p2p = \"p2p\""), 13, 7, "streams.p2p" + reason, kRemoved},
       {11, streams("per_direction", "p2p_backward = \"p2p_backward\""), 13, 16,
        "streams.p2p_backward" + reason, kRemoved}});
  for (const std::string& keys :
       {streams("per_group", "ep = \"comm\""), streams("per_edge", "p2p_forward = \"comm\""),
        streams("two", "ep = \"ep\""), streams("two", "p2p = \"a\"\np2p_forward = \"comm\""),
        streams("per_direction", "p2p_forward = \"p2p_backward\"")}) {
    CAPTURE(keys);
    CHECK_FALSE(error_of(text_of(kLayersScenario, 11, keys)).has_value());
  }
}

TEST_CASE("a stream for each neighbour: with all-to-alls apart, but with no names of its own") {
  const auto with = [](const std::string& streams) {
    return "schedule = \"1f1b\"\np2p = \"multi_stream\"\n[streams]\n" + streams;
  };
  const std::string neighbours =
      "streams.preset has no effect because pipeline.p2p = \"multi_stream\" gives every neighbour "
      "a "
      "stream";
  check_errors(kLayersScenario,
               {{4, with("preset = \"per_edge\""), 7, 10, neighbours, "pipeline.p2p = \"batch\""},
                {4, with("preset = \"per_group\"\nep = \"x\""), 7, 10, neighbours, kRemoved},
                {4, with("p2p = \"a\""), 5, 7,
                 "pipeline.p2p has no effect because [streams] names the streams of all transfers",
                 "the key removed, or pipeline.p2p = \"batch\""},
                {4, with("p2p_forward = \"a\"\np2p_backward = \"b\""), 5, 7,
                 "pipeline.p2p has no effect because [streams] names the streams of all transfers",
                 kRemoved}});
  for (const std::string streams : {"preset = \"per_group\"", "preset = \"multi_stream\"",
                                    "p2p_forward = \"a\"", "ep = \"x\""}) {
    CAPTURE(streams);
    CHECK_FALSE(error_of(text_of(kLayersScenario, 4, with(streams))).has_value());
  }
}

TEST_CASE("no class may share the stream of the compute kernels") {
  for (const std::string key : {"ep", "p2p", "p2p_forward", "p2p_backward", "fsdp", "data"}) {
    check_errors(kLayersScenario,
                 {{11, "[streams]\n" + key + " = \"compute\"", 12, static_cast<int>(key.size()) + 4,
                   "streams." + key + " is \"compute\"",
                   "another stream than that of the compute kernels"}});
  }
}

TEST_CASE("a seed without noise") {
  check_errors(kStageScenario, {{10, "[noise]\nseed = 7", 11, 8,
                                 "noise.seed has no effect because nothing is drawn "
                                 "at random",
                                 kRemoved}});
}

TEST_CASE("a default written out has no effect anywhere, and is right") {
  CHECK_FALSE(
      error_of(text_of(kStageScenario, 10,
                       "[overlap]\nexecution = \"threads\"\nhooks = true\ndepart = true\n"
                       "[comm]\nwait = \"on_use\"\n[moe]\ncounts_exchange = false\n"
                       "[network]\ndevices_per_node = 8\np2p_latency_us = 0\np2p_bandwidth = inf\n"
                       "[streams]\nep = \"\"\nfsdp = \"\"\ndata = \"\"\n[noise]\nseed = 1\n"))
          .has_value());
  CHECK_FALSE(
      error_of(text_of(kDenseScenario, 11,
                       "experts_us = { forward = 0, backward_input = 0, backward_weight = 0 }\n"
                       "dispatch_us = { forward = 0, backward = 0 }\ncounts_bytes = 0\n"
                       "launches = { experts = 1, counts = 1, head = 1 }"))
          .has_value());
}

// What says how the machine is: whether a step makes use of it is for the step to tell.
TEST_CASE("host times and links may lie idle") {
  CHECK_FALSE(error_of(text_of(kStageScenario, 10,
                               "[host]\nrendezvous_us = 2\nwake_us = 6\nfork_us = 15\n"
                               "threads = \"one\"\n[network]\n"
                               "intra_node = { latency_us = 1, bandwidth = \"9GB/s\" }"))
                  .has_value());
}

TEST_CASE("sizes that memory will be counted from are accepted") {
  CHECK_FALSE(error_of(text_of(kStageScenario, 10,
                               "activation_bytes = 5\nparameter_bytes = [1, 2]\ninput_share = 0.3"))
                  .has_value());
}

}  // namespace
}  // namespace steptwin
