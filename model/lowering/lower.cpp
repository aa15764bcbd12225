#include "model/lowering/lower.h"

#include <cassert>

#include "model/costs.h"
#include "model/lowering/contention.h"
#include "model/lowering/rank_lowering.h"

namespace steptwin {
namespace {

HostCosts host_costs(const HostKeys& keys) {
  HostCosts host;
  host.launch_ns = nanoseconds_from_us(keys.launch_us);
  host.event_ns = nanoseconds_from_us(keys.event_us);
  host.rendezvous_ns = nanoseconds_from_us(keys.rendezvous_us);
  host.wake_ns = nanoseconds_from_us(keys.wake_us);
  host.fork_ns = nanoseconds_from_us(keys.fork_us);
  host.one_launch_lock = keys.one_launch_lock;
  return host;
}

// The transport of one stream for each neighbour brings its preset along. What per_group says of
// the all-to-alls still holds beside it.
StreamKeys stream_keys(const Scenario& scenario) {
  StreamKeys keys = scenario.streams;
  if (scenario.pipeline.p2p != P2pMode::multi_stream) return keys;
  if (keys.preset == StreamPreset::per_group && keys.ep.empty()) keys.ep = "ep";
  keys.preset = StreamPreset::multi_stream;
  return keys;
}

// Kernels to expect, so that the big array is sized once.
std::size_t compute_and_transfer_steps(const Schedule& schedule) {
  std::size_t steps = 0;
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) steps += slot ? 1 : 0;
  }
  return steps;
}

}  // namespace

Program lower(const Schedule& schedule, const Scenario& scenario) {
  assert(schedule.stages.stages() == scenario.stages());
  Program program;
  program.host = host_costs(scenario.host);
  program.eager_bytes = scenario.network.eager_bytes;
  program.contention = contention_of(scenario);
  const std::int32_t peers = simulated_peers(scenario);
  const std::size_t steps = compute_and_transfer_steps(schedule) * static_cast<std::size_t>(peers);
  program.ranks.resize(schedule.ranks.size() * static_cast<std::size_t>(peers));
  program.kernels.reserve(steps);
  program.p2p_parts.reserve(steps / 2);
  const std::vector<Chunk> chunks = make_chunks(scenario, schedule.stages);
  const StreamKeys streams = stream_keys(scenario);
  const auto ranks = static_cast<std::int32_t>(schedule.ranks.size());
  StreamPlan plan(streams, ranks * peers, peers, program);
  for (std::int32_t rank = 0; rank < ranks * peers; ++rank) {
    const RankPlace place{rank / peers, rank % peers, peers};
    RankLowering lowering(schedule, scenario, chunks, plan, program, place);
    for (const Slot& slot : schedule.ranks[static_cast<std::size_t>(place.pipeline_rank)]) {
      if (slot) lowering.lower_step(*slot);
    }
    lowering.finish();
  }
  return program;
}

}  // namespace steptwin
