#include "model/lowering/contention.h"

#include <doctest/doctest.h>
#include <vector>

#include "model/lowering/lower.h"
#include "tests/scenarios.h"

namespace steptwin {
namespace {

using Places = std::vector<std::int32_t>;

Scenario scenario_of(std::int32_t ranks, std::int32_t peers, std::int32_t per_node) {
  Scenario scenario = stage_scenario("1f1b", ranks, 1, 2, 1, 1, 1, 3);
  scenario.parallel.expert = peers;
  scenario.network.devices_per_node = per_node;
  scenario.contention.host_cores = 5;
  return scenario;
}

TEST_CASE("without contention a Program knows of no nodes") {
  Scenario scenario = scenario_of(4, 1, 2);
  scenario.contention.host_cores = 0;
  CHECK(contention_of(scenario) == Contention{});
}

TEST_CASE("losses become billionths") {
  Scenario scenario = scenario_of(1, 1, 8);
  scenario.contention.compute_loss = 0.3;
  scenario.contention.comm_loss = 0.999999999;
  const Contention contention = contention_of(scenario);
  CHECK(contention.compute_loss == 300'000'000);
  CHECK(contention.comm_loss == 999'999'999);
}

TEST_CASE("ranks lie on nodes with their peers; one that lies on several is apart") {
  CHECK(contention_of(scenario_of(4, 1, 2)).host == Places{0, 0, 1, 1});
  CHECK(contention_of(scenario_of(4, 2, 4)).host == Places{0, 0, 1, 1});
  CHECK(contention_of(scenario_of(3, 4, 4)).host == Places{0, 1, 2});
  // Peers 0-2 and 3-5 on node 0, peers 6-8 on nodes 0 and 1, peers 9-11 on node 1.
  CHECK(contention_of(scenario_of(4, 3, 8)).host == Places{0, 0, 2, 1});
  CHECK(contention_of(scenario_of(3, 8, 4)).host == Places{6, 7, 8});
  CHECK(contention_of(scenario_of(4, 2, 8)).devices == 2);
  CHECK(contention_of(scenario_of(4, 8, 2)).devices == 2);
}

TEST_CASE("where all links are alike, all ranks have the ports of one node") {
  const Contention contention = contention_of(scenario_of(4, 1, 2));
  CHECK(contention.node == Places{0, 0, 0, 0});
  CHECK(contention.latency_ns == std::array<TimeNs, 2>{3000, 3000});
  CHECK_FALSE(contention.collectives_cross_nodes);
}

TEST_CASE("links by node: their latencies, and whether the peers of a rank cross nodes") {
  Scenario scenario = scenario_of(4, 1, 2);
  scenario.network.by_node = true;
  scenario.network.intra_node.latency_us = 1;
  scenario.network.inter_node.latency_us = 7;
  CHECK(contention_of(scenario).node == Places{0, 0, 1, 1});
  CHECK(contention_of(scenario).latency_ns == std::array<TimeNs, 2>{1000, 7000});
  CHECK_FALSE(contention_of(scenario).collectives_cross_nodes);
  scenario.parallel.expert = 4;
  CHECK(contention_of(scenario).collectives_cross_nodes);
}

TEST_CASE("a lowered Program has the scenario's contention and eager limit") {
  Scenario scenario = scenario_of(2, 1, 2);
  scenario.network.eager_bytes = 77;
  const Program program = lower(make_schedule(scenario), scenario);
  CHECK(program.eager_bytes == 77);
  CHECK(program.contention == contention_of(scenario));
}

}  // namespace
}  // namespace steptwin
