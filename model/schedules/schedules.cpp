#include "model/schedules/schedules.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <fmt/format.h>

#include "model/error.h"
#include "model/nearest_word.h"
#include "model/passes/add_p2p.h"
#include "model/passes/align.h"
#include "model/passes/data_steps.h"
#include "model/schedules/dual_pipe.h"
#include "model/schedules/gpipe.h"
#include "model/schedules/interleaved.h"
#include "model/schedules/looped_bfs.h"
#include "model/schedules/one_f_one_b.h"
#include "model/schedules/one_f_one_b_v.h"
#include "model/schedules/rename_ranks.h"
#include "model/schedules/v_half.h"
#include "model/schedules/zb_heuristic.h"
#include "model/schedules/zbv_heuristic.h"
#include "model/schedules/zero_bubble.h"

namespace steptwin {
namespace {

// What a builder returns, and so what is left to do.
enum class Made : std::uint8_t {
  with_p2p,  // compute, P2P and, if asked for, DATA_LOAD steps
  columns,   // a compute order with the bubbles that add_p2p relies on
  order,     // a compute order
};

enum class Chunks : std::uint8_t { one, two, any };

// The overlaps of a schedule. Its own are always there; others are asked for.
enum class Overlaps : std::uint8_t { none, b_f_if_asked, f_b_always };

// A schedule and its rules.
struct Recipe {
  std::string_view name;
  Chunks chunks;
  StageMapKind own_map;
  Made made;
  Schedule (*build)(const ScheduleRequest& request);
  Overlaps overlaps = Overlaps::none;
  bool less_memory = false;
  bool memory_limit = false;
};

Schedule zb_h1_order(const ScheduleRequest& request) {
  return zb_h1(request.ranks, request.micro_batches);
}

Schedule zb_h2_order(const ScheduleRequest& request) {
  return zb_h2(request.ranks, request.micro_batches);
}

ZbHeuristicCosts costs_of(const ScheduleRequest& request) {
  return {request.forward_ns, request.backward_input_ns, request.backward_weight_ns,
          request.p2p_ns};
}

Schedule zb_heuristic_order(const ScheduleRequest& request) {
  return zb_heuristic(costs_of(request), request.micro_batches, request.memory_limit);
}

Schedule interleaved_zb_order(const ScheduleRequest& request) {
  return interleaved_zb(request.ranks, request.chunks_per_rank, request.micro_batches);
}

Schedule zbv_order(const ScheduleRequest& request) {
  return zbv(request.ranks, request.micro_batches);
}

Schedule zbv_heuristic_order(const ScheduleRequest& request) {
  return zbv_heuristic(costs_of(request), request.micro_batches, request.memory_limit);
}

Schedule one_f_one_b_v_order(const ScheduleRequest& request) {
  return one_f_one_b_v(request.ranks, request.micro_batches);
}

Schedule v_half_order(const ScheduleRequest& request) {
  return v_half(request.ranks, request.micro_batches);
}

Schedule v_min_order(const ScheduleRequest& request) {
  return v_min(request.ranks, request.micro_batches);
}

Schedule dual_pipe_order(const ScheduleRequest& request) {
  return dual_pipe(request.ranks, request.micro_batches);
}

Schedule dual_pipe_v_order(const ScheduleRequest& request) {
  return dual_pipe_v(request.ranks, request.micro_batches);
}

// In the order of the documentation.
constexpr std::array kRecipes = {
    Recipe{"gpipe", Chunks::one, StageMapKind::loop, Made::with_p2p, gpipe_schedule},
    Recipe{"1f1b", Chunks::one, StageMapKind::loop, Made::with_p2p, one_f_one_b_schedule},
    Recipe{"interleaved_1f1b", Chunks::any, StageMapKind::loop, Made::columns, interleaved_columns,
           Overlaps::b_f_if_asked, true},
    Recipe{"looped_bfs", Chunks::any, StageMapKind::loop, Made::order, looped_bfs_order},
    Recipe{"zb_h1", Chunks::one, StageMapKind::loop, Made::order, zb_h1_order},
    Recipe{"zb_h2", Chunks::one, StageMapKind::loop, Made::order, zb_h2_order},
    Recipe{"zb_heuristic", Chunks::one, StageMapKind::loop, Made::order, zb_heuristic_order,
           Overlaps::none, false, true},
    Recipe{"interleaved_zb", Chunks::any, StageMapKind::loop, Made::order, interleaved_zb_order},
    Recipe{"zbv", Chunks::two, StageMapKind::v, Made::order, zbv_order},
    Recipe{"zbv_heuristic", Chunks::two, StageMapKind::v, Made::order, zbv_heuristic_order,
           Overlaps::none, false, true},
    Recipe{"1f1b_v", Chunks::two, StageMapKind::v, Made::order, one_f_one_b_v_order},
    Recipe{"v_half", Chunks::two, StageMapKind::v, Made::order, v_half_order},
    Recipe{"v_min", Chunks::two, StageMapKind::v, Made::order, v_min_order},
    Recipe{"dualpipe", Chunks::two, StageMapKind::v, Made::order, dual_pipe_order,
           Overlaps::f_b_always},
    Recipe{"dualpipe_v", Chunks::two, StageMapKind::v, Made::order, dual_pipe_v_order,
           Overlaps::f_b_always},
};

// Compute steps in one schedule. More is a slip of the keyboard: it would not fit in memory.
constexpr std::int64_t kMostSteps = 100'000'000;

std::string all_names() {
  std::string listed = "one of";
  for (const std::string_view name : schedule_names()) listed.append(" ").append(name);
  return listed;
}

const Recipe& recipe_named(std::string_view name) {
  const auto recipe = std::find_if(kRecipes.begin(), kRecipes.end(),
                                   [name](const Recipe& each) { return each.name == name; });
  if (recipe == kRecipes.end()) {
    const std::string_view nearest = nearest_word(name, schedule_names());
    throw Error(fmt::format("there is no schedule \"{}\"", name),
                nearest.empty() ? all_names() : fmt::format("\"{}\" perhaps", nearest));
  }
  return *recipe;
}

void require_sizes(const Recipe& recipe, const ScheduleRequest& request) {
  const auto require_positive = [](std::string_view key, std::int32_t value) {
    if (value < 1) throw Error(fmt::format("{} is {}", key, value), "at least 1");
  };
  require_positive("ranks", request.ranks);
  require_positive("chunks_per_rank", request.chunks_per_rank);
  require_positive("micro_batches", request.micro_batches);
  const std::int32_t chunks = request.chunks_per_rank;
  const bool one_too_many = recipe.chunks == Chunks::one && chunks != 1;
  if (one_too_many || (recipe.chunks == Chunks::two && chunks != 2)) {
    throw Error(fmt::format("chunks_per_rank is {} with schedule {}", chunks, recipe.name),
                one_too_many ? "1: this schedule has one stage on each rank"
                             : "2: this schedule has two stages on each rank");
  }
  const std::int64_t stages = std::int64_t{request.ranks} * chunks;
  if (stages > kMostSteps / 2 || stages * 2 > kMostSteps / request.micro_batches) {
    throw Error(fmt::format("{} ranks of {} chunks with {} micro-batches", request.ranks, chunks,
                            request.micro_batches),
                fmt::format("at most {} forward and backward steps in all", kMostSteps));
  }
}

void require_options(const Recipe& recipe, const ScheduleRequest& request) {
  if (request.overlap == OverlapMode::f_b && recipe.overlaps != Overlaps::f_b_always) {
    throw Error(fmt::format("overlap = \"f_b\" with schedule {}", recipe.name),
                "overlap \"none\", or schedule dualpipe or dualpipe_v, which always overlap so");
  }
  if (request.overlap == OverlapMode::b_f && recipe.overlaps != Overlaps::b_f_if_asked) {
    throw Error(fmt::format("overlap = \"b_f\" with schedule {}", recipe.name),
                "overlap \"none\", or schedule interleaved_1f1b");
  }
  if (request.less_memory && !recipe.less_memory) {
    throw Error(fmt::format("less_memory with schedule {}", recipe.name),
                "less_memory = false, or schedule interleaved_1f1b");
  }
  if (request.less_memory && request.overlap == OverlapMode::b_f) {
    throw Error("less_memory together with overlap = \"b_f\"",
                "one of them: the shorter warm-up leaves no slack, so an overlap's forward would "
                "run before its receive is posted");
  }
}

StageMap map_of(StageMapKind kind, const ScheduleRequest& request) {
  switch (kind) {
    case StageMapKind::loop:
      return loop_map(request.ranks, request.chunks_per_rank);
    case StageMapKind::v:
      return v_map(request.ranks, request.chunks_per_rank);
    case StageMapKind::list:
      return StageMap{request.ranks, request.stage_map_list};
    case StageMapKind::automatic:
      break;
  }
  assert(false);
  return {};
}

StageMap wanted_map(const Recipe& recipe, const ScheduleRequest& request) {
  const bool automatic = request.stage_map == StageMapKind::automatic;
  return map_of(automatic ? recipe.own_map : request.stage_map, request);
}

// The user's number of the rank at each position of the pipeline.
std::vector<std::int32_t> names_of_positions(const Recipe& recipe, const ScheduleRequest& request) {
  return rank_names(map_of(recipe.own_map, request), wanted_map(recipe, request),
                    recipe.own_map == StageMapKind::v ? "stages s and 2R-1-s on one rank"
                                                      : "stage s on rank s mod R");
}

void keep_compute_only(Schedule& schedule) {
  for (StepList& list : schedule.ranks) {
    std::erase_if(list, [](const Slot& slot) {
      return slot && !is_compute(slot->type) && !is_overlap(slot->type);
    });
  }
}

Schedule for_positions(const Recipe& recipe, const ScheduleRequest& request) {
  Schedule schedule = recipe.build(request);
  if (recipe.made == Made::order) schedule = align_columns(schedule);
  if (!request.p2p) {
    keep_compute_only(schedule);
    return schedule;
  }
  if (recipe.made != Made::with_p2p) {
    schedule = add_p2p(schedule);
    if (request.data_steps) schedule = add_data_loads(schedule);
  }
  return request.data_steps ? add_data_transfers(schedule) : schedule;
}

}  // namespace

const std::vector<std::string_view>& schedule_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> collected;
    collected.reserve(kRecipes.size());
    for (const Recipe& recipe : kRecipes) collected.push_back(recipe.name);
    return collected;
  }();
  return kNames;
}

std::int32_t chunks_prescribed(std::string_view name) {
  switch (recipe_named(name).chunks) {
    case Chunks::one:
      return 1;
    case Chunks::two:
      return 2;
    case Chunks::any:
      break;
  }
  return 0;
}

bool always_overlaps(std::string_view name) {
  return recipe_named(name).overlaps == Overlaps::f_b_always;
}

bool obeys_memory_limit(std::string_view name) {
  return recipe_named(name).memory_limit;
}

StageMap stage_map_of(std::string_view name, const ScheduleRequest& request) {
  const Recipe& recipe = recipe_named(name);
  names_of_positions(recipe, request);  // throws for a map that the schedule forbids
  return wanted_map(recipe, request);
}

Schedule build_schedule(std::string_view name, const ScheduleRequest& request) {
  const Recipe& recipe = recipe_named(name);
  require_sizes(recipe, request);
  require_options(recipe, request);
  const std::vector<std::int32_t> names = names_of_positions(recipe, request);
  Schedule schedule = for_positions(recipe, request);
  schedule.name = recipe.name;
  return with_ranks_renamed(std::move(schedule), names);
}

}  // namespace steptwin
