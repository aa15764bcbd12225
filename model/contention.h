#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/units.h"

namespace steptwin {

// Losses are whole billionths of a rate.
inline constexpr std::int64_t kWholeRate = 1'000'000'000;

// Between ranks of one node, or of two. Where all links are alike there is one node.
inline constexpr std::size_t kWithinNode = 0;
inline constexpr std::size_t kAcrossNodes = 1;

// What kernels that run at the same time take from each other. The rules stand at
// sim/shared_rates.h; with the defaults nobody takes anything.
struct Contention {
  bool share_ports = false;
  std::int64_t compute_loss = 0;  // of kWholeRate, 0 <= loss < kWholeRate
  std::int64_t comm_loss = 0;
  bool while_waiting = true;
  std::int32_t host_cores = 0;  // 0: not shared

  // Where the ranks are: for ports and cores. Empty where nothing of the above is on.
  std::vector<std::int32_t> node;  // by rank: whose links within a node it shares
  std::vector<std::int32_t> host;  // by rank: whose cores it shares
  std::int32_t devices = 1;        // on its host that a rank stands for, its folded peers included
  std::array<TimeNs, 2> latency_ns = {};  // of a transfer within a node and across nodes
  bool collectives_cross_nodes = false;   // whatever the members: peers of a folded rank do

  bool is_on() const { return share_ports || compute_loss > 0 || comm_loss > 0 || host_cores > 0; }

  friend bool operator==(const Contention&, const Contention&) = default;
};

// Throws Error if a number is out of range, or, where anything is on, a rank has no node or host.
void validate(const Contention& contention, std::size_t ranks);

}  // namespace steptwin
