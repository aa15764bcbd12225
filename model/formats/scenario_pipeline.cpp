#include <fmt/format.h>

#include "model/formats/scenario_sections.h"
#include "model/formats/scenario_words.h"
#include "model/schedules/schedules.h"

namespace steptwin {
namespace {

const std::vector<std::string_view> kKeys = {
    "ranks",       "chunks_per_rank", "micro_batches", "schedule",    "schedule_file",
    "stage_map",   "overlap",         "p2p",           "overlap_p2p", "split_backward",
    "less_memory", "recv_placement",  "memory_limit",  "data_steps"};

void read_sizes(const TomlTable& section, PipelineKeys& keys) {
  const auto required = [&section](std::string_view key, std::int32_t most) {
    const TomlValue value = require(section, key, fmt::format("a whole number from 1 to {}", most));
    return static_cast<std::int32_t>(integer_of(value, 1, most));
  };
  keys.ranks = required("ranks", kMostRanks);
  read_int32(section, "chunks_per_rank", 1, kMostChunksPerRank, keys.chunks_per_rank);
  keys.micro_batches = required("micro_batches", kMostMicroBatches);
  keys.micro_batches_at = find(section, "micro_batches")->position;
  const std::int64_t steps =
      std::int64_t{2} * keys.ranks * keys.chunks_per_rank * keys.micro_batches;
  if (steps > kMostSteps) {
    throw Error(
        keys.micro_batches_at,
        fmt::format("{}.micro_batches is {}, which makes {} steps", section.name,
                    keys.micro_batches, steps),
        fmt::format("at most {} steps: 2 * ranks * chunks_per_rank * micro_batches", kMostSteps));
  }
}

void read_schedule(const TomlTable& section, PipelineKeys& keys) {
  if (const auto file = find(section, "schedule_file")) {
    if (find(section, "schedule")) {
      throw Error(file->position, "pipeline.schedule and pipeline.schedule_file are both given",
                  "one of them");
    }
    const std::string expected = "the name of a file with a schedule";
    keys.schedule_file = text_of(*file, expected);
    if (keys.schedule_file.empty()) refuse(*file, expected);
    keys.schedule_at = file->position;
    return;
  }
  const TomlValue schedule = require(
      section, "schedule", "the name of a schedule, like \"1f1b\", or pipeline.schedule_file");
  const std::vector<std::string_view>& words = schedule_names();
  keys.schedule = words[word_index_of(schedule, words)];
  keys.schedule_at = schedule.position;
}

void read_stage_map(const TomlTable& section, PipelineKeys& keys) {
  const auto value = find(section, "stage_map");
  if (!value) return;
  if (!is_array(*value)) {
    read_word(section, "stage_map", kStageMaps, keys.stage_map);
    return;
  }
  const std::int32_t stages = keys.ranks * keys.chunks_per_rank;
  if (size_of(*value) != static_cast<std::size_t>(stages)) {
    refuse(*value, fmt::format("a list of {}, the rank of each stage", stages));
  }
  keys.stage_map = StageMapKind::list;
  for (std::size_t stage = 0; stage < size_of(*value); ++stage) {
    const std::int64_t rank = integer_of(item_of(*value, stage), 0, keys.ranks - 1);
    keys.stage_map_list.push_back(static_cast<std::int32_t>(rank));
  }
}

void read_p2p(const TomlTable& section, PipelineKeys& keys) {
  read_word(section, "p2p", kP2pModes, keys.p2p);
  keys.p2p_at = keys.schedule_at;
  if (const auto value = find(section, "p2p")) keys.p2p_at = value->position;
  read_flag(section, "split_backward", keys.split_backward);
}

}  // namespace

void read_pipeline(const TomlTable& section, PipelineKeys& keys) {
  refuse_unknown_keys(section, kKeys);
  read_sizes(section, keys);
  read_schedule(section, keys);
  read_stage_map(section, keys);
  read_word(section, "overlap", kOverlapModes, keys.overlap);
  read_p2p(section, keys);
  read_flag(section, "overlap_p2p", keys.overlap_p2p);
  read_flag(section, "less_memory", keys.less_memory);
  read_word(section, "recv_placement", kRecvPlacements, keys.recv_placement);
  read_number(section, "memory_limit", 0, kMostMicroBatches, keys.memory_limit);
  read_flag(section, "data_steps", keys.data_steps);
}

}  // namespace steptwin
