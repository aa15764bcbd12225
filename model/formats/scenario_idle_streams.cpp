#include <string>

#include "model/formats/idle_keys.h"

namespace steptwin {
namespace {

class StreamChecks {
 public:
  explicit StreamChecks(const IdleKeys& idle) : idle_(idle) {}

  void check() const {
    const StreamKeys& keys = idle_.scenario.streams;
    idle_.refuse_if(!keys.ep.empty() && !idle_.has_moe, "streams", "ep", kNoMoeLayer, kMoeLayer);
    idle_.refuse_if(!keys.fsdp.empty() && !idle_.may_shard, "streams", "fsdp",
                    "parallel.fsdp is false", "parallel.fsdp = true");
    const bool in_file = !idle_.scenario.pipeline.schedule_file.empty();
    idle_.refuse_if(!keys.data.empty() && !idle_.scenario.pipeline.data_steps && !in_file,
                    "streams", "data", "pipeline.data_steps is false",
                    "pipeline.data_steps = true");
    const bool both_ways = !keys.p2p_forward.empty() && !keys.p2p_backward.empty();
    idle_.refuse_if(!keys.p2p.empty() && both_ways, "streams", "p2p",
                    "streams.p2p_forward and streams.p2p_backward are both given",
                    "one of those two removed");
    const bool all_named = !keys.p2p.empty() || both_ways;
    idle_.refuse_if(keys.preset != StreamPreset::two && all_named && !moves_peers(), "streams",
                    "preset", "every class it moves has a stream of its own name",
                    "a class left to the preset");
    const bool fits_neighbours = keys.preset == StreamPreset::two ||
                                 keys.preset == StreamPreset::multi_stream || moves_peers();
    const bool per_neighbour = idle_.scenario.pipeline.p2p == P2pMode::multi_stream;
    idle_.refuse_if(per_neighbour && !fits_neighbours, "streams", "preset",
                    "pipeline.p2p = \"multi_stream\" gives every neighbour a stream",
                    "pipeline.p2p = \"batch\"");
    idle_.refuse_if(per_neighbour && all_named, "pipeline", "p2p",
                    "[streams] names the streams of all transfers", "pipeline.p2p = \"batch\"");
    check_stream_names();
  }

 private:
  // Whether the preset gives the collectives of peers a stream of their own.
  bool moves_peers() const {
    const StreamKeys& keys = idle_.scenario.streams;
    return keys.preset == StreamPreset::per_group &&
           ((idle_.has_moe && keys.ep.empty()) || (idle_.may_shard && keys.fsdp.empty()));
  }

  // The stream on which the preset puts all transfers of a direction; "" if they have several.
  std::string preset_stream(bool forward) const {
    if (idle_.scenario.pipeline.p2p == P2pMode::multi_stream) return "";
    switch (idle_.scenario.streams.preset) {
      case StreamPreset::two:
        return "comm";
      case StreamPreset::per_group:
        return "p2p";
      case StreamPreset::per_direction:
        return forward ? "p2p_forward" : "p2p_backward";
      case StreamPreset::multi_stream:
      case StreamPreset::per_edge:
      case StreamPreset::unqueued:
        break;
    }
    return "";
  }

  // Names that say what is so without them.
  void check_stream_names() const {
    const StreamKeys& keys = idle_.scenario.streams;
    const std::string_view because = "it is on that stream without it";
    const bool ep_apart = keys.preset == StreamPreset::per_group;
    idle_.refuse_if(!keys.ep.empty() && keys.ep == (ep_apart ? "ep" : "comm"), "streams", "ep",
                    because, "");
    const auto is_idle = [this, &keys](const std::string& name, bool forward) {
      return !name.empty() && name == (keys.p2p.empty() ? preset_stream(forward) : keys.p2p);
    };
    idle_.refuse_if(is_idle(keys.p2p_forward, true), "streams", "p2p_forward", because, "");
    idle_.refuse_if(is_idle(keys.p2p_backward, false), "streams", "p2p_backward", because, "");
    const auto says_preset = [this, &keys](const std::string& directed, bool forward) {
      return !directed.empty() || keys.p2p == preset_stream(forward);
    };
    idle_.refuse_if(!keys.p2p.empty() && says_preset(keys.p2p_forward, true) &&
                        says_preset(keys.p2p_backward, false),
                    "streams", "p2p", because, "");
  }

  const IdleKeys& idle_;
};

}  // namespace

void refuse_idle_streams(const IdleKeys& idle) {
  StreamChecks(idle).check();
}

}  // namespace steptwin
