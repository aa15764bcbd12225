#include <doctest/doctest.h>
#include <string>

#include "tests/model/formats/bad_scenario.h"

// Keys about peers, what they share out, noise and data that would change nothing.
namespace steptwin {
namespace {

const std::string kMoeLayers = "moe layers in layers.per_stage";

TEST_CASE("parallel: peers that talk to nobody, folding one peer, offload that is off") {
  check_errors(
      kStageScenario,
      {{10, "[parallel]\nexpert = 8", 11, 10,
        "parallel.expert has no effect because no layer is moe and all links are alike",
        "moe layers in layers.per_stage, or network.intra_node and network.inter_node"},
       {10, "[parallel]\nfold = false", 11, 8,
        "parallel.fold has no effect because parallel.expert is 1",
        "or parallel.expert of 2 or more"},
       {10, "[parallel]\nexpert = 8\nfold = false", 11, 10,
        "parallel.expert has no effect because no layer is moe and all links are alike",
        "moe layers in layers.per_stage, or network.intra_node and network.inter_node"},
       {10, "[parallel]\noffload_min_gap = 9", 11, 19,
        "parallel.offload_min_gap has no effect because parallel.offload is false",
        "or parallel.offload = true"},
       {10, "[parallel]\nfsdp = true", 11, 8,
        "parallel.fsdp has no effect because the peers share parameters out, and parallel.expert "
        "is 1",
        "or parallel.expert of 2 or more"},
       {10, "[parallel]\nfsdp_window = 2", 11, 15,
        "parallel.fsdp_window has no effect because parallel.fsdp is false",
        "or parallel.fsdp = true"}});
  CHECK_FALSE(error_of(text_of(kStageScenario, 10, "[parallel]\nexpert = 8\nfsdp = true")));
  CHECK_FALSE(error_of(text_of(kLayersScenario, 11, "[parallel]\nexpert = 8\nfold = false")));
  for (const std::string differing :
       {"[noise]\ncompute_sigma = 0.1", "[contention]\nhost_cores = 4",
        "[network]\nintra_node = {latency_us = 1}"}) {
    CHECK_FALSE(error_of(
        text_of(kStageScenario, 10, "[parallel]\nexpert = 8\nfold = false\n" + differing)));
  }
  CHECK_FALSE(error_of(text_of(kStageScenario, 10,
                               "[parallel]\nexpert = 8\n[network]\nintra_node = {latency_us = 1}"))
                  .has_value());
}

TEST_CASE("memory: bytes for a byte of parameters, of which there are none") {
  const std::string none = " has no effect because no stage has parameters";
  for (const std::string sizes : {"", "parameter_bytes = [0, 0]\n"}) {
    const int line = sizes.empty() ? 11 : 12;
    check_errors(kStageScenario, {{10, sizes + "[memory]\ngradient_ratio = 2", line, 18,
                                   "memory.gradient_ratio" + none, "or stage.parameter_bytes"},
                                  {10, sizes + "[memory]\noptimizer_ratio = 0", line, 19,
                                   "memory.optimizer_ratio" + none, "or stage.parameter_bytes"}});
  }
  const std::string ratios = "[memory]\ngradient_ratio = 2\noptimizer_ratio = 0";
  CHECK_FALSE(error_of(text_of(kStageScenario, 10, "parameter_bytes = [0, 1]\n" + ratios)));
  CHECK_FALSE(
      error_of(text_of(kStageScenario, 10, "[memory]\ngradient_ratio = 1\noptimizer_ratio = 6")));
}

TEST_CASE("a straggler takes some time") {
  check_errors(kStageScenario, {{10, "[noise]\nstraggler = { rank = 1, factor = 0 }", 11, 34,
                                 "noise.straggler.factor is 0", "a number more than 0"},
                                {10, "[noise]\nstraggler = { factor = 0.0 }", 11, 24,
                                 "noise.straggler.factor is 0.0", "a number more than 0"}});
  CHECK_FALSE(
      error_of(text_of(kStageScenario, 10, "[noise]\nstraggler = { rank = 1, factor = 0.1 }")));
}

TEST_CASE("raw inputs where there is one rank: they are loaded, and travel nowhere") {
  ScenarioLines lines = kStageScenario;
  lines[1] = "ranks = 1";
  lines[4] += "\ndata_steps = true";
  const std::string alone =
      " has no effect because there is one rank, which communicates with nobody";
  check_errors(lines,
               {{10, "[streams]\ndata = \"a\"", 12, 8,
                 "streams.data has no effect because one rank has nobody to send to",
                 "the key removed, or pipeline.ranks = 2 or more"},
                {10, "[contention]\nshare_ports = true", 12, 15, "contention.share_ports" + alone,
                 "the key removed"},
                {10, "[contention]\ncompute_loss = 0.1", 12, 16, "contention.compute_loss" + alone,
                 "the key removed"},
                {10, "[contention]\ncomm_loss = 0.1", 12, 13, "contention.comm_loss" + alone,
                 "the key removed"},
                {10, "[network]\neager_bytes = 1", 12, 15,
                 "network.eager_bytes has no effect because there is one rank, which sends nothing",
                 "the key removed"}});
  CHECK_FALSE(error_of(text_of(lines, 10, "[data]\nbytes = 5\nload_us = 1")).has_value());
  CHECK_FALSE(error_of(text_of(lines, 10,
                               "[contention]\nshare_ports = true\n[parallel]\nexpert = 2\n"
                               "fsdp = true"))
                  .has_value());
}

TEST_CASE("stragglers, uneven routing and data that do not occur") {
  check_errors(kStageScenario,
               {{10, "[noise]\nstraggler = { factor = 1.5 }", 11, 13,
                 "noise.straggler has no effect because its rank is -1, which is nobody",
                 "or the number of a rank"},
                {10, "[noise]\nstraggler = { rank = 1 }", 11, 13,
                 "noise.straggler has no effect because its factor is 1", "or another factor"},
                {10, "[noise]\nmoe_imbalance = 0.5", 11, 17,
                 "noise.moe_imbalance has no effect because no layer is moe", kMoeLayers},
                {10, "[data]\nload_us = 3", 11, 11,
                 "data.load_us has no effect because pipeline.data_steps is false",
                 "or pipeline.data_steps = true"},
                {10, "[data]\nbytes = 3", 11, 9,
                 "data.bytes has no effect because pipeline.data_steps is false",
                 "or pipeline.data_steps = true"}});
}

}  // namespace
}  // namespace steptwin
