#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/program.h"
#include "model/scenario.h"

namespace steptwin {

// Where a transfer goes: the stream of its rank and the communicator of that stream's group.
struct Route {
  std::int32_t stream = 0;
  std::int32_t communicator = 0;
};

// Which streams every rank has and which traffic uses which. Streams are made when they are first
// used; compute is stream 0 of every rank and comm stream 1.
//
//   two            everything on comm
//   per_group      ep, p2p and fsdp apart
//   per_direction  p2p_forward and p2p_backward apart, the rest on comm
//   multi_stream   one p2p stream per neighbour
//   per_edge       one per neighbour and direction of the transfer
//   unqueued       every transfer on a stream of its own: nothing queues
//
// A class named in [streams] leaves the preset for the stream of that name. There is one
// communicator per group and stream: what shares a stream also shares an order.
class StreamPlan {
 public:
  // `ranks` are those of the Program. The `peers` of a pipeline rank follow each other.
  StreamPlan(const StreamKeys& keys, std::int32_t ranks, std::int32_t peers, Program& program);

  // Collectives among the peers of a pipeline rank: all-to-alls, and what gathers and reduces
  // sharded parameters.
  Route expert_route(std::int32_t rank);
  Route fsdp_route(std::int32_t rank);

  // Raw inputs on their way down the pipeline, in a group of their own.
  Route data_route(std::int32_t rank);

  // Copies between the device and its host, both ways.
  std::int32_t copy_stream(std::int32_t rank);

  // One transfer, at either end. `forward`: an activation; else a gradient.
  Route p2p_route(std::int32_t rank, std::int32_t sender, std::int32_t receiver, bool forward,
                  std::int32_t stage, std::int32_t micro);

 private:
  std::int32_t stream_named(std::int32_t rank, const std::string& name);
  std::int32_t communicator_named(const std::string& name, std::vector<std::int32_t> ranks);
  Route peer_route(std::int32_t rank, std::string_view group, const std::string& override_name);
  Route named_route(std::int32_t rank, const std::string& stream);
  Route edge_route(std::int32_t rank, std::int32_t sender, std::int32_t receiver);
  Route own_route(std::int32_t rank, std::int32_t sender, std::int32_t receiver, bool forward,
                  std::int32_t stage, std::int32_t micro);
  const std::string& p2p_override(bool forward) const;
  std::string shared_p2p_stream() const;

  const StreamKeys& keys_;
  const std::int32_t peers_;
  Program& program_;
  std::vector<std::map<std::string, std::int32_t>> streams_;  // by rank
  std::map<std::string, std::int32_t> communicators_;
  // What p2p_route answered before, for each rank by (sender, receiver, forward).
  std::array<std::vector<std::map<std::pair<std::int32_t, std::int32_t>, Route>>, 2> known_;
};

}  // namespace steptwin
