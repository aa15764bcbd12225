#include "model/formats/schedule_file.h"

#include <fmt/format.h>
#include <optional>

#include "model/formats/named_file.h"
#include "model/formats/recognise.h"
#include "model/formats/text_cursor.h"

namespace steptwin {
namespace {

// A slot of a rank's list, or the list.
struct Place {
  std::int32_t rank = 0;
  std::int64_t slot = -1;
};

// The first slot of the lists with a leaf that is wanted.
template <typename Wanted>
std::optional<Place> find_leaf(const Schedule& schedule, Wanted&& wanted) {
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const StepList& list = schedule.ranks[rank];
    for (std::size_t slot = 0; slot < list.size(); ++slot) {
      if (!list[slot]) continue;
      bool found = false;
      for_each_leaf(*list[slot], [&](const Step& leaf) { found = found || wanted(leaf); });
      if (found) return Place{static_cast<std::int32_t>(rank), static_cast<std::int64_t>(slot)};
    }
  }
  return std::nullopt;
}

// A reading that takes something otherwise than it stands there needs somebody to see the note.
void refuse_guesses(const ScheduleFile& file) {
  const std::vector<std::string> notes = reading_notes(file.text, file.path);
  if (notes.empty()) return;
  throw Error({file.path, 1, 1}, "this file could only be " + notes.front(),
              "a file that leaves nothing open, such as steptwin convert makes of it");
}

void require_sizes(const ScheduleFile& file, const PipelineKeys& keys) {
  const Schedule& schedule = file.placed.schedule;
  const auto ranks = static_cast<std::int32_t>(schedule.ranks.size());
  const auto require_equal = [&file](Place place, std::int32_t count, const std::string& what,
                                     const char* plural, std::int32_t wanted, const char* key) {
    if (count == wanted) return;
    throw Error(file.position_of(place.rank, place.slot),
                fmt::format("the file has {} {}{}", count, what, count == 1 ? "" : plural),
                fmt::format("{}, as {} says", wanted, key));
  };
  const std::int32_t surplus_rank = ranks > keys.ranks ? keys.ranks : 0;
  require_equal({surplus_rank}, ranks, "rank", "s", keys.ranks, "pipeline.ranks");
  require_equal({}, schedule.stages.stages(), "stage", "s", keys.ranks * keys.chunks_per_rank,
                "pipeline.ranks times chunks_per_rank");
  const Place surplus = find_leaf(schedule, [&keys](const Step& leaf) {
                          return leaf.type == StepType::fwd && leaf.micro >= keys.micro_batches;
                        }).value_or(Place{});
  require_equal(surplus, schedule.micro_batches, "micro-batch", "es", keys.micro_batches,
                "pipeline.micro_batches");
}

StageMap wanted_map(const PipelineKeys& keys) {
  switch (keys.stage_map) {
    case StageMapKind::loop:
      return loop_map(keys.ranks, keys.chunks_per_rank);
    case StageMapKind::v:
      return v_map(keys.ranks, keys.chunks_per_rank);
    case StageMapKind::list:
    case StageMapKind::automatic:
      break;
  }
  return StageMap{keys.ranks, keys.stage_map_list, 1};
}

void require_map(const ScheduleFile& file, const PipelineKeys& keys) {
  if (keys.stage_map == StageMapKind::automatic) return;
  const Schedule& schedule = file.placed.schedule;
  const StageMap wanted = wanted_map(keys);
  for (std::int32_t stage = 0; stage < wanted.stages(); ++stage) {
    const std::int32_t rank = schedule.stages.rank_of(stage);
    if (rank == wanted.rank_of(stage)) continue;
    const Place place = find_leaf(schedule, [stage](const Step& leaf) {
                          return is_compute(leaf.type) && leaf.stage == stage;
                        }).value_or(Place{rank});
    throw Error(file.position_of(place.rank, place.slot),
                fmt::format("stage {} is computed on rank {}", stage, rank),
                fmt::format("it on rank {}, as pipeline.stage_map says", wanted.rank_of(stage)));
  }
}

}  // namespace

SourcePosition ScheduleFile::position_of(std::int32_t rank, std::int64_t slot) const {
  const auto index = static_cast<std::size_t>(rank);
  const std::size_t at =
      slot < 0 ? placed.rank_at[index] : placed.slot_at[index][static_cast<std::size_t>(slot)];
  return TextCursor(text, path).position_of(at);
}

ScheduleFile read_schedule_file(const Scenario& scenario, Misplaced misplaced) {
  const PipelineKeys& keys = scenario.pipeline;
  ScheduleFile file;
  file.path = path_beside(scenario.file, keys.schedule_file);
  file.text = read_named_file(file.path, keys.schedule_at, kMostScheduleFileBytes,
                              "a file with a schedule");
  file.placed = read_placed_schedule(file.text, file.path, misplaced);
  refuse_guesses(file);
  require_sizes(file, keys);
  require_map(file, keys);
  return file;
}

}  // namespace steptwin
