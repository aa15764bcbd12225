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
  CHECK_FALSE(error_of(text_of(kStageScenario, 10,
                               "[parallel]\nexpert = 8\n[network]\nintra_node = {latency_us = 1}"))
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
