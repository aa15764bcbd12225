#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"
#include "model/scenario.h"
#include "model/units.h"

namespace steptwin {

// From the keys of a scenario to the durations and sizes of its kernels. Each duration is rounded
// to a nanosecond once, where it becomes the duration of a kernel.
//
// Direction::backward stands for an undivided backward: its compute kernels take
// backward_input + backward_weight in one. Of a divided backward, BWD_INPUT has every communication
// kernel, BWD_WEIGHT none.

// A stage from its first kernel to its last, running alone on its rank:
//
//   [stage]    the time given for it
//   [layers]   embedding (stage 0), then per layer
//                moe     attention, counts (if moe.counts_exchange), dispatch, experts, combine
//                dense   attention, mlp
//              then head (stage N-1), one after the other. The backward has the same without
//              counts.
TimeNs stage_time(const Scenario& scenario, std::int32_t stage, Direction direction);

// How many of the E peers of a pipeline rank a Program has: 1 where they are folded.
std::int32_t simulated_peers(const Scenario& scenario);

// One kernel of [layers].
TimeNs compute_time(const ComputePartCost& cost, Direction direction);
TimeNs communication_time(const Scenario& scenario, const CommPartCost& cost, Direction direction);

// Device launches that a kernel of this part stands for.
std::int32_t launches_of(const Scenario& scenario, Part part);

// What a stage sends to the next one, keeps per micro-batch until its backward, and holds always.
Bytes output_bytes(const Scenario& scenario, std::int32_t stage);
// The tensors of it, each of which travels by itself. Backwards: the gradients of those that have
// one, in the same order; there may be none.
std::vector<Bytes> output_tensors(const Scenario& scenario, std::int32_t stage, bool forward);
Bytes activation_bytes(const Scenario& scenario, std::int32_t stage);
Bytes parameter_bytes(const Scenario& scenario, std::int32_t stage);
// Whether any stage has activations or parameters of a given size.
bool gives_memory_sizes(const Scenario& scenario);
// Of the activations, what BWD_INPUT frees.
Bytes input_share_bytes(const Scenario& scenario, std::int32_t stage);

// A transfer between two pipeline ranks: latency + bytes / bandwidth of their link.
//
// Pipeline rank r has the E devices r*E .. r*E+E-1, and a node D = devices_per_node of them. Peer
// p of one rank talks to peer p of the other. The link is intra_node if all devices of both ranks
// are on one node, and inter_node if any pair has to leave its node, since peers are identical and
// the slowest sets the pace. Without intra_node and inter_node it is the link of the p2p_ keys.
TimeNs p2p_time(const Scenario& scenario, std::int32_t from_rank, std::int32_t to_rank,
                Bytes bytes);

// Which keys of [network] say how fast a link is.
enum class LinkClass : std::uint8_t { p2p, intra_node, inter_node };
LinkClass p2p_link(const Scenario& scenario, std::int32_t from_rank, std::int32_t to_rank);
LinkClass all_to_all_link(const Scenario& scenario);
LinkKeys link_keys(const NetworkKeys& network, LinkClass link);

// An all-to-all of the E expert-parallel peers of a rank, each of which hands out `bytes` in total
// and keeps its own share:
//
//   latency + (bytes - bytes / E) / bandwidth           (bytes / E rounded down)
//
// The model of a pairwise exchange at full rate: no algorithm can beat the bytes that leave a
// device, and the latencies of the E - 1 messages overlap. The link is intra_node if E <= D, else
// inter_node; without them that of the p2p_ keys.
TimeNs all_to_all_time(const Scenario& scenario, Bytes bytes);
Bytes all_to_all_moved(const Scenario& scenario, Bytes bytes);  // bytes - bytes / E

// Fully sharded parameters: each of the E peers holds an E-th of a stage's. Gathering them, and
// reducing and scattering their gradients, moves the bytes that a peer lacks over the same link:
//
//   latency + (bytes - bytes / E) / bandwidth           (bytes: of the whole stage)
TimeNs shard_exchange_time(const Scenario& scenario, Bytes bytes);

// A copy between a device and its host: latency + bytes / bandwidth of network.device_host.
TimeNs copy_time(const Scenario& scenario, Bytes bytes);

// Of a stage's parameters: as many bytes of gradients.
Bytes gradient_bytes(const Scenario& scenario, std::int32_t stage);
Bytes optimizer_bytes(const Scenario& scenario, std::int32_t stage);

}  // namespace steptwin
