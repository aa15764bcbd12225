#include "model/lowering/contention.h"

#include <algorithm>
#include <cmath>

#include "model/costs.h"

namespace steptwin {
namespace {

std::int64_t billionths(double loss) {
  return std::llround(loss * static_cast<double>(kWholeRate));
}

// The node of each rank that lies on one; a number of its own for each other rank.
std::vector<std::int32_t> nodes_of(std::int32_t ranks, std::int64_t peers, std::int64_t per_node) {
  std::vector<std::int32_t> nodes;
  std::int64_t own = (ranks * peers - 1) / per_node;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t first = rank * peers / per_node;
    const std::int64_t last = (rank * peers + peers - 1) / per_node;
    nodes.push_back(static_cast<std::int32_t>(first == last ? first : ++own));
  }
  return nodes;
}

// The simulated peers of a pipeline rank have its links.
std::vector<std::int32_t> for_each_peer(const Scenario& scenario,
                                        const std::vector<std::int32_t>& of_pipeline_ranks) {
  std::vector<std::int32_t> of_ranks;
  for (const std::int32_t value : of_pipeline_ranks) {
    of_ranks.insert(of_ranks.end(), static_cast<std::size_t>(simulated_peers(scenario)), value);
  }
  return of_ranks;
}

// A peer that is a rank of its own is a device of its own.
std::vector<std::int32_t> hosts_of(const Scenario& scenario,
                                   const std::vector<std::int32_t>& nodes) {
  std::vector<std::int32_t> hosts = for_each_peer(scenario, nodes);
  if (simulated_peers(scenario) == 1) return hosts;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    hosts[rank] = static_cast<std::int32_t>(rank) / scenario.network.devices_per_node;
  }
  return hosts;
}

TimeNs latency_of(const NetworkKeys& network, LinkClass link) {
  return nanoseconds_from_us(link_keys(network, link).latency_us);
}

}  // namespace

Contention contention_of(const Scenario& scenario) {
  const ContentionKeys& keys = scenario.contention;
  Contention contention;
  contention.share_ports = keys.share_ports;
  contention.compute_loss = billionths(keys.compute_loss);
  contention.comm_loss = billionths(keys.comm_loss);
  contention.while_waiting = keys.while_waiting;
  contention.host_cores = keys.host_cores;
  if (!contention.is_on()) return contention;
  const NetworkKeys& network = scenario.network;
  const std::int32_t ranks = scenario.pipeline.ranks;
  const std::int32_t peers = scenario.parallel.expert;
  const std::vector<std::int32_t> nodes = nodes_of(ranks, peers, network.devices_per_node);
  contention.host = hosts_of(scenario, nodes);
  contention.devices =
      simulated_peers(scenario) < peers ? std::min(peers, network.devices_per_node) : 1;
  if (network.by_node) {
    contention.node = for_each_peer(scenario, nodes);
    contention.latency_ns = {latency_of(network, LinkClass::intra_node),
                             latency_of(network, LinkClass::inter_node)};
    contention.collectives_cross_nodes = all_to_all_link(scenario) == LinkClass::inter_node;
  } else {
    contention.node.assign(contention.host.size(), 0);
    const TimeNs latency_ns = latency_of(network, LinkClass::p2p);
    contention.latency_ns = {latency_ns, latency_ns};
  }
  return contention;
}

}  // namespace steptwin
