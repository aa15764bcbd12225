#include <fmt/format.h>

#include "model/costs.h"
#include "model/formats/scenario_sections.h"

namespace steptwin {
namespace {

constexpr double kMostLoss = 0.999'999'999;

}  // namespace

void read_contention(const TomlTable& section, ContentionKeys& keys) {
  refuse_unknown_keys(section,
                      {"share_ports", "compute_loss", "comm_loss", "while_waiting", "host_cores"});
  read_flag(section, "share_ports", keys.share_ports);
  read_number(section, "compute_loss", 0, kMostLoss, keys.compute_loss);
  read_number(section, "comm_loss", 0, kMostLoss, keys.comm_loss);
  read_flag(section, "while_waiting", keys.while_waiting);
  read_int32(section, "host_cores", 0, kMostRanks, keys.host_cores);
}

// Peers of one rank run alike only if the machines they are on are as busy.
void refuse_uneven_hosts(const TomlTable& document, const Scenario& scenario) {
  const std::int32_t peers = scenario.parallel.expert;
  const std::int32_t per_node = scenario.network.devices_per_node;
  if (scenario.contention.host_cores == 0 || simulated_peers(scenario) > 1) return;
  if (peers % per_node == 0 || per_node % peers == 0) return;
  throw Error(
      find(*find_table(document, "contention"), "host_cores")->position,
      fmt::format("contention.host_cores is {}: with {} peers to a rank and {} devices to a "
                  "machine, peers of one rank share cores with more others than the rest",
                  scenario.contention.host_cores, peers, per_node),
      "parallel.expert and network.devices_per_node of which one divides the other");
}

}  // namespace steptwin
