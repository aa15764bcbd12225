#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/scenario.h"
#include "model/schedule.h"
#include "model/units.h"

namespace steptwin {

// What a schedule is built from. Symbols as in the literature: R ranks, V chunks per rank,
// N = R*V stages, M micro-batches.
struct ScheduleRequest {
  std::int32_t ranks = 1;
  std::int32_t chunks_per_rank = 1;
  std::int32_t micro_batches = 1;
  OverlapMode overlap = OverlapMode::none;
  bool less_memory = false;
  StageMapKind stage_map = StageMapKind::automatic;
  std::vector<std::int32_t> stage_map_list;
  bool p2p = true;          // false: compute steps only
  bool data_steps = false;  // DATA_LOAD, DATA_SEND, DATA_RECV as well

  // For schedules that look at costs (zb_heuristic, zbv_heuristic): one value per stage.
  std::vector<TimeNs> forward_ns;
  std::vector<TimeNs> backward_input_ns;
  std::vector<TimeNs> backward_weight_ns;
  TimeNs p2p_ns = 0;        // one hop, the longest between the ranks of two stages in a row
  double memory_limit = 0;  // micro-batches of activations per rank; 0: the schedule's default
};

// The names `pipeline.schedule` knows, in the order the documentation lists them.
const std::vector<std::string_view>& schedule_names();

// Whether the named schedule has overlaps of its own, whatever the request says.
bool always_overlaps(std::string_view name);

// Whether the named schedule looks at memory_limit.
bool obeys_memory_limit(std::string_view name);

// Which rank holds which stage in the named schedule. Throws Error if the schedule forbids the map.
StageMap stage_map_of(std::string_view name, const ScheduleRequest& request);

// How many chunks the named schedule puts on every rank; 0 if it can do with any number.
std::int32_t chunks_prescribed(std::string_view name);

// Builds the named schedule: compute steps, P2P steps and the bubbles that the passes rely on.
// Throws Error naming the rule if the schedule forbids this R, V, M, stage map or option.
Schedule build_schedule(std::string_view name, const ScheduleRequest& request);

}  // namespace steptwin
