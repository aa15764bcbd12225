#include "reports/advice.h"

#include <doctest/doctest.h>

namespace steptwin::reports {
namespace {

Metrics one_cause(GapCause cause) {
  Metrics metrics;
  metrics.step_time_ns = 100;
  metrics.micro_batches = 4;
  metrics.bubble_ratio = 0.4;
  metrics.stage_balance = 1.0;
  metrics.gap_by_cause.of(cause) = 40;
  RankMetrics rank;
  rank.phases.warmup_ns = 40;
  metrics.ranks.push_back(rank);
  return metrics;
}

TEST_CASE("advice follows the cause that costs most") {
  const auto first = [](const Metrics& metrics) {
    const std::vector<std::string> texts = advice(metrics, {}, 3);
    REQUIRE(texts.size() == 1);
    return texts[0].substr(0, texts[0].find(':'));
  };
  CHECK(first(one_cause(GapCause::dependency)) == "fill and drain");
  CHECK(first(one_cause(GapCause::end)) == "fill and drain");
  CHECK(first(one_cause(GapCause::order)) == "values are there but wait behind other compute");
  CHECK(first(one_cause(GapCause::host)) == "the host launches too late");
  CHECK(first(one_cause(GapCause::transfer)) == "exposed transfers");

  Metrics steady = one_cause(GapCause::dependency);
  steady.ranks[0].phases = {0, 40, 0};
  CHECK(first(steady) == "stages wait for each other in the steady phase");

  Metrics collectives = one_cause(GapCause::transfer);
  collectives.gap_by_cause.in_collective_ns = 40;
  CHECK(first(collectives) == "exposed dispatch and combine");
}

TEST_CASE("what an in-order stream holds back is advised streams apart, then late receives") {
  const std::string late =
      "; or post receives late (pipeline.recv_placement = \"late\"), which can hang where "
      "transfers "
      "share a stream: steptwin check tells";
  Metrics metrics = one_cause(GapCause::order);
  metrics.transfers_share_streams = true;
  CHECK(advice(metrics, {}, 3) ==
        std::vector<std::string>{"values are there but queue: give each neighbour and direction a "
                                 "stream (streams.preset = \"per_edge\")" +
                                 late});
  metrics.gap_by_cause.behind_p2p_ns = 21;  // of 40
  CHECK(advice(metrics, {}, 3) ==
        std::vector<std::string>{"collectives queue behind transfers: give them a stream of their "
                                 "own (streams.preset = \"per_group\")" +
                                 late});
  metrics.gap_by_cause.in_rendezvous_ns = 39;
  REQUIRE(advice(metrics, {}, 3).size() == 2);
  CHECK(advice(metrics, {}, 3)[0].starts_with("the threads of an overlap wait for each other"));
  metrics.gap_by_cause.in_rendezvous_ns = 40;
  CHECK(advice(metrics, {}, 3).size() == 1);
}

TEST_CASE("advice is ordered by what it is worth, and silent below one percent") {
  Metrics metrics = one_cause(GapCause::host);
  metrics.gap_by_cause.of(GapCause::host) = 10;
  metrics.gap_by_cause.of(GapCause::order) = 30;
  metrics.stage_balance = 1.5;  // worth (1.5 - 1) * 0.6 = 30 %; at the tie it comes first
  const std::vector<std::string> texts = advice(metrics, {}, 3);
  REQUIRE(texts.size() == 3);
  CHECK(texts[0].starts_with("balance: the busiest rank computes 50 % more"));
  CHECK(texts[1].starts_with("values are there"));
  CHECK(texts[2].starts_with("the host"));
  CHECK(advice(metrics, {}, 1).size() == 1);

  Metrics little = one_cause(GapCause::host);
  little.step_time_ns = 10000;
  CHECK(advice(little, {}, 3).empty());
}

// 24 of 40 are collectives, 16 transfers: each is told, the larger one first.
TEST_CASE("of what is in flight, collectives and transfers are told apart by their shares") {
  Metrics metrics = one_cause(GapCause::transfer);
  metrics.gap_by_cause.in_collective_ns = 24;
  // How much of a transfer is exposed besides has no say, nor what waits for a peer.
  metrics.ranks[0].times.exposed_comm_ns = 90;
  metrics.ranks[0].times.exposed_collective_ns = 24;
  CHECK(advice(metrics, {}, 3) ==
        std::vector<std::string>{
            "exposed dispatch and combine: overlap them with the other direction's compute "
            "(pipeline.overlap = \"b_f\", overlap.hooks = true)",
            "exposed transfers: overlap them (pipeline.overlap_p2p = true), send less, or put "
            "neighbours on a faster link"});
  metrics.gap_by_cause.in_collective_ns = 16;
  REQUIRE(advice(metrics, {}, 3).size() == 2);
  CHECK(advice(metrics, {}, 3)[0].starts_with("exposed transfers"));
  metrics.gap_by_cause.in_collective_ns = 0;
  CHECK(advice(metrics, {}, 3).size() == 1);
}

std::string only_hint(const Metrics& metrics, const SettingsOn& on) {
  const std::vector<std::string> texts = advice(metrics, on, 3);
  REQUIRE(texts.size() == 1);
  return texts[0];
}

TEST_CASE("transfers that are overlapped are not advised to be") {
  const Metrics metrics = one_cause(GapCause::transfer);
  SettingsOn on;
  on.overlap_p2p = true;
  CHECK(only_hint(metrics, on) ==
        "exposed transfers: send less, or put neighbours on a faster link");
}

TEST_CASE("of an overlap only what is missing is advised") {
  Metrics metrics = one_cause(GapCause::transfer);
  metrics.gap_by_cause.in_collective_ns = 40;
  const std::string overlap_them =
      "exposed dispatch and combine: overlap them with the other direction's compute ";
  SettingsOn on;
  on.hooks = true;
  CHECK(only_hint(metrics, on) == overlap_them + "(pipeline.overlap = \"b_f\")");
  on.overlap = true;
  CHECK(only_hint(metrics, on) ==
        "exposed dispatch and combine, though overlapped: more micro-batches, which are overlapped "
        "longer, fewer bytes, or a faster link");
  on.sequential_overlap = true;
  CHECK(only_hint(metrics, on) == overlap_them + "(overlap.execution = \"threads\")");
  on.sequential_overlap = false;
  on.hooks = false;
  CHECK(only_hint(metrics, on) == overlap_them + "(overlap.hooks = true)");
}

TEST_CASE("fill and drain: a schedule is not advised to be what it is") {
  const Metrics metrics = one_cause(GapCause::dependency);
  SettingsOn on;
  CHECK(only_hint(metrics, on) ==
        "fill and drain: more micro-batches (there are 4), interleaved chunks, or a zero-bubble "
        "schedule");
  on.interleaved = true;
  CHECK(only_hint(metrics, on) ==
        "fill and drain: more micro-batches (there are 4), or a zero-bubble schedule");
  on.zero_bubble = true;
  CHECK(only_hint(metrics, on) == "fill and drain: more micro-batches (there are 4)");
}

TEST_CASE("order: late receives, hooks and order by data are advised where they are not on") {
  Metrics metrics = one_cause(GapCause::order);
  const std::string waits = "values are there but wait behind other compute: ";
  const std::string by_data = "let a transfer wait for its own data only (comm.order = \"data\")";
  const std::string turns = "let the threads of the overlap take turns (overlap.hooks = true)";
  SettingsOn on;
  CHECK(only_hint(metrics, on) == waits + by_data);
  on.overlap = true;
  CHECK(only_hint(metrics, on) == waits + turns + ", or " + by_data);
  on.order_by_data = true;
  CHECK(only_hint(metrics, on) == waits + turns);
  on.hooks = true;
  CHECK(advice(metrics, on, 3).empty());
  on.late_receives = true;
  metrics.transfers_share_streams = true;
  CHECK(only_hint(metrics, on) ==
        "values are there but queue: give each neighbour and direction a stream (streams.preset = "
        "\"per_edge\")");
}

}  // namespace
}  // namespace steptwin::reports
