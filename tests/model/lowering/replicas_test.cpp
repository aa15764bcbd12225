#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "reports/metrics.h"
#include "reports/summary_json.h"
#include "tests/scenarios.h"

// Expert-parallel peers as ranks of their own, and folded into one.
namespace steptwin {
namespace {

Scenario moe(const std::string& schedule, std::int32_t ranks, std::int32_t expert) {
  Scenario scenario = stage_scenario(schedule, ranks, 1, 4, 0, 0, 0, 1);
  use_moe_layers(scenario, 2);
  scenario.parallel.expert = expert;
  scenario.parallel.fold = false;
  return scenario;
}

TEST_CASE("peer p of a rank exchanges with peer p of another, collectives are among the peers") {
  const Scenario scenario = moe("1f1b", 2, 3);
  const Program program = lower(make_schedule(scenario), scenario);
  REQUIRE(program.ranks.size() == 6);
  for (const Kernel& kernel : program.kernels) {
    if (kernel.kind == KernelKind::p2p) {
      const P2pPart& part = program.p2p_parts[static_cast<std::size_t>(kernel.first_part)];
      CHECK(part.peer % 3 == kernel.rank % 3);
      CHECK(part.peer != kernel.rank);
    } else if (is_collective(kernel.kind)) {
      const std::int32_t first = kernel.rank / 3 * 3;
      CHECK(program.communicators[static_cast<std::size_t>(kernel.communicator)].ranks ==
            std::vector{first, first + 1, first + 2});
    }
  }
}

// Figures of the job and of every rank, kernels apart, which are E times as many.
void check_alike(Scenario scenario) {
  scenario.parallel.fold = false;
  const reports::Metrics apart = reports::compute_metrics(trace_of(scenario));
  scenario.parallel.fold = true;
  reports::Metrics folded = reports::compute_metrics(trace_of(scenario));
  const auto peers = static_cast<std::size_t>(scenario.parallel.expert);
  REQUIRE(apart.ranks.size() == folded.ranks.size() * peers);
  CHECK(apart.kernels == folded.kernels * scenario.parallel.expert);
  reports::Metrics one_peer = apart;
  one_peer.kernels = folded.kernels;
  for (std::size_t peer = 0; peer < peers; ++peer) {
    one_peer.ranks.clear();
    for (std::size_t rank = 0; rank < folded.ranks.size(); ++rank) {
      one_peer.ranks.push_back(apart.ranks[rank * peers + peer]);
      one_peer.ranks.back().rank = static_cast<std::int32_t>(rank);
    }
    // The sum over ranks is as many times as large; everything else is the same to the digit.
    one_peer.gap_by_cause = folded.gap_by_cause;
    CHECK(reports::summary_json(one_peer) == reports::summary_json(folded));
  }
  for (const reports::GapCause cause : reports::kGapCauses) {
    CHECK(apart.gap_by_cause.of(cause) == folded.gap_by_cause.of(cause) * scenario.parallel.expert);
  }
}

TEST_CASE("folding peers changes no figure") {
  for (const char* schedule : {"1f1b", "gpipe", "zb_h1"}) {
    for (const std::int32_t expert : {2, 3}) {
      for (const StreamPreset preset : {StreamPreset::two, StreamPreset::per_group,
                                        StreamPreset::per_edge, StreamPreset::unqueued}) {
        CAPTURE(schedule);
        CAPTURE(expert);
        Scenario scenario = moe(schedule, 3, expert);
        scenario.streams.preset = preset;
        check_alike(scenario);
      }
    }
  }
  Scenario scenario = moe("interleaved_1f1b", 2, 4);
  scenario.pipeline.chunks_per_rank = 2;
  use_moe_layers(scenario, 2);
  scenario.pipeline.overlap = OverlapMode::b_f;
  scenario.host.launch_us = 0.003;
  scenario.stage.activation_bytes = {1000};
  scenario.stage.parameter_bytes = {4000};
  check_alike(scenario);
  scenario.parallel.fsdp = true;
  check_alike(scenario);
}

// One rank of one MoE layer with four peers; attention and experts take 1000 each, dispatch and
// combine too. Peer 2 computes at 1.5 times the cost.
//
//   peer 2      |attention 1500 |dispatch|
//   the others  |attention |wait|dispatch|
//               0          1000 1500     2500
TEST_CASE("a straggler makes its peers wait at an all-to-all for as long as it is late") {
  Scenario scenario = stage_scenario("gpipe", 1, 1, 1, 0, 0, 0, 0);
  use_moe_layers(scenario, 1);
  scenario.parallel.expert = 4;
  scenario.noise.straggler_rank = 2;
  scenario.noise.straggler_factor = 1.5;
  for (const bool fold : {true, false}) {  // what differs is not folded
    scenario.parallel.fold = fold;
    const Trace trace = trace_of(scenario);
    REQUIRE(trace.ranks.size() == 4);
    const TimeNs cost = nanoseconds_from_us(scenario.layers.attention.forward_us);
    REQUIRE(cost > 0);
    std::int64_t dispatches = 0;
    for (const TraceKernel& kernel : trace.kernels) {
      if (kernel.part != Part::dispatch || kernel.direction != Direction::forward) continue;
      ++dispatches;
      CHECK(kernel.times.start_ns == cost + cost / 2);
      CHECK(kernel.times.start_ns - kernel.times.ready_ns == (kernel.rank == 2 ? 0 : cost / 2));
    }
    CHECK(dispatches == 4);
  }
}

}  // namespace
}  // namespace steptwin
