#include "model/lowering/stream_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace steptwin {

StreamPlan::StreamPlan(const StreamKeys& keys, std::int32_t ranks, std::int32_t peers,
                       Program& program)
    : keys_(keys), peers_(peers), program_(program), streams_(static_cast<std::size_t>(ranks)) {
  known_[0].resize(static_cast<std::size_t>(ranks));
  known_[1].resize(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    stream_named(rank, "compute");
    stream_named(rank, "comm");
  }
}

Route StreamPlan::expert_route(std::int32_t rank) {
  return peer_route(rank, "ep", keys_.ep);
}

Route StreamPlan::fsdp_route(std::int32_t rank) {
  return peer_route(rank, "fsdp", keys_.fsdp);
}

Route StreamPlan::data_route(std::int32_t rank) {
  std::vector<std::int32_t> everyone(program_.ranks.size());
  std::iota(everyone.begin(), everyone.end(), 0);
  return {stream_named(rank, keys_.data.empty() ? "comm" : keys_.data),
          communicator_named("data", std::move(everyone))};
}

std::int32_t StreamPlan::copy_stream(std::int32_t rank) {
  return stream_named(rank, "copy");
}

Route StreamPlan::peer_route(std::int32_t rank, std::string_view group,
                             const std::string& override_name) {
  const bool apart = keys_.preset == StreamPreset::per_group;
  const std::string stream = !override_name.empty() ? override_name
                             : apart                ? std::string(group)
                                                    : "comm";
  const std::int32_t pipeline_rank = rank / peers_;
  std::vector<std::int32_t> members(static_cast<std::size_t>(peers_));
  std::iota(members.begin(), members.end(), pipeline_rank * peers_);
  return {stream_named(rank, stream),
          communicator_named(fmt::format("{}.{}", group, pipeline_rank), std::move(members))};
}

Route StreamPlan::p2p_route(std::int32_t rank, std::int32_t sender, std::int32_t receiver,
                            bool forward, std::int32_t stage, std::int32_t micro) {
  if (keys_.preset == StreamPreset::unqueued && p2p_override(forward).empty()) {
    return own_route(rank, sender, receiver, forward, stage, micro);
  }
  auto& known = known_[forward ? 1 : 0][static_cast<std::size_t>(rank)];
  const auto found = known.find({sender, receiver});
  if (found != known.end()) return found->second;
  Route route;
  const std::string& override_name = p2p_override(forward);
  if (!override_name.empty()) {
    route = named_route(rank, override_name);
  } else if (keys_.preset == StreamPreset::multi_stream || keys_.preset == StreamPreset::per_edge) {
    route = edge_route(rank, sender, receiver);
  } else if (keys_.preset == StreamPreset::per_direction) {
    route = named_route(rank, forward ? "p2p_forward" : "p2p_backward");
  } else {
    route = named_route(rank, shared_p2p_stream());
  }
  known[{sender, receiver}] = route;
  return route;
}

// Where the preset puts transfers that are neither apart by direction nor by neighbour.
std::string StreamPlan::shared_p2p_stream() const {
  return keys_.preset == StreamPreset::per_group ? "p2p" : "comm";
}

std::int32_t StreamPlan::stream_named(std::int32_t rank, const std::string& name) {
  auto& streams = streams_[static_cast<std::size_t>(rank)];
  const auto found = streams.find(name);
  if (found != streams.end()) return found->second;
  std::vector<std::string>& names = program_.ranks[static_cast<std::size_t>(rank)].streams;
  const auto stream = static_cast<std::int32_t>(names.size());
  names.push_back(name);
  streams[name] = stream;
  return stream;
}

std::int32_t StreamPlan::communicator_named(const std::string& name,
                                            std::vector<std::int32_t> ranks) {
  const auto found = communicators_.find(name);
  if (found != communicators_.end()) return found->second;
  const auto communicator = static_cast<std::int32_t>(program_.communicators.size());
  program_.communicators.push_back({name, std::move(ranks)});
  communicators_[name] = communicator;
  return communicator;
}

// All ranks share one p2p communicator on a stream that has the same name everywhere: "p2p" on the
// preset's own stream, "p2p@..." on any other.
Route StreamPlan::named_route(std::int32_t rank, const std::string& stream) {
  std::vector<std::int32_t> everyone(program_.ranks.size());
  std::iota(everyone.begin(), everyone.end(), 0);
  const std::string name = stream == shared_p2p_stream() ? "p2p" : "p2p@" + stream;
  return {stream_named(rank, stream), communicator_named(name, std::move(everyone))};
}

Route StreamPlan::edge_route(std::int32_t rank, std::int32_t sender, std::int32_t receiver) {
  const bool directed = keys_.preset == StreamPreset::per_edge;
  const std::int32_t low = std::min(sender, receiver);
  const std::int32_t high = std::max(sender, receiver);
  const std::string name =
      directed ? fmt::format("p2p.{}-{}", sender, receiver) : fmt::format("p2p.{}-{}", low, high);
  return {stream_named(rank, name), communicator_named(name, {low, high})};
}

// Both ends ask once; the stream and the communicator carry the transfer's name.
Route StreamPlan::own_route(std::int32_t rank, std::int32_t sender, std::int32_t receiver,
                            bool forward, std::int32_t stage, std::int32_t micro) {
  const std::string name =
      fmt::format("p2p.{}.s{}.m{}", forward ? "forward" : "backward", stage, micro);
  const std::int32_t peer = rank % peers_;
  const std::string communicator = peer == 0 ? name : fmt::format("{}.peer{}", name, peer);
  std::vector<std::string>& names = program_.ranks[static_cast<std::size_t>(rank)].streams;
  names.push_back(name);
  const std::int32_t low = std::min(sender, receiver);
  const std::int32_t high = std::max(sender, receiver);
  return {static_cast<std::int32_t>(names.size() - 1),
          communicator_named(communicator, {low, high})};
}

const std::string& StreamPlan::p2p_override(bool forward) const {
  const std::string& directed = forward ? keys_.p2p_forward : keys_.p2p_backward;
  return directed.empty() ? keys_.p2p : directed;
}

}  // namespace steptwin
