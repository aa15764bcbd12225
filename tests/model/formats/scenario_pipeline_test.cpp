#include "tests/model/formats/bad_scenario.h"

namespace steptwin {
namespace {

TEST_CASE("pipeline: ranks, chunks and micro-batches are whole numbers in range") {
  check_errors(
      kStageScenario,
      {
          {2, "ranks = 0", 2, 9, "pipeline.ranks is 0", "a whole number from 1 to 65536"},
          {2, "ranks = -4", 2, 9, "pipeline.ranks is -4", "from 1 to 65536"},
          {2, "ranks = 65537", 2, 9, "pipeline.ranks is 65537", "from 1 to 65536"},
          {2, "ranks = 4.0", 2, 9, "pipeline.ranks is 4.0", "a whole number"},
          {2, "ranks = \"4\"", 2, 9, "pipeline.ranks is \"4\"", "a whole number"},
          {2, "ranks = true", 2, 9, "pipeline.ranks is true", "a whole number"},
          {2, "ranks = [4]", 2, 9, "pipeline.ranks is a list of 1 value", "a whole number"},
          {2, "ranks = {a = 1}", 2, 9, "pipeline.ranks is a table", "a whole number"},
          {2, "ranks = 2020-01-01", 2, 9, "pipeline.ranks is a date or time", "a whole number"},
          {2, "ranks = nan", 2, 9, "pipeline.ranks is nan", "a whole number"},
          {2, "# none", 1, 1, "pipeline.ranks is missing", "from 1 to 65536"},
          {3, "  chunks_per_rank = 0", 3, 21, "pipeline.chunks_per_rank is 0", "from 1 to 1024"},
          {3, "chunks_per_rank = 1025", 3, 19, "pipeline.chunks_per_rank is 1025",
           "from 1 to 1024"},
          {3, "chunks_per_rank = \"two\"", 3, 19, "pipeline.chunks_per_rank is \"two\"",
           "from 1 to 1024"},
          {4, "micro_batches = 0", 4, 17, "pipeline.micro_batches is 0", "from 1 to 16777215"},
          {4, "micro_batches = 16777216", 4, 17, "pipeline.micro_batches is 16777216",
           "from 1 to 16777215"},
          {4, "micro_batches = 9223372036854775807", 4, 17,
           "pipeline.micro_batches is 9223372036854775807", "from 1 to 16777215"},
          {4, "micro_batches = 8.5", 4, 17, "pipeline.micro_batches is 8.5", "a whole number"},
          {4, "", 1, 1, "pipeline.micro_batches is missing", "a whole number"},
      });
}

TEST_CASE("pipeline: 2^31 steps are the most") {
  // 2 * 1024 ranks * 1 chunk * 2^20 micro-batches = 2^31.
  const std::string ranks = text_of(kStageScenario, 2, "ranks = 1024");
  CHECK_FALSE(error_of(ranks, {"pipeline.micro_batches=1048576"}).has_value());
  const auto error = error_of(ranks, {"pipeline.micro_batches=1048577"});
  REQUIRE(error.has_value());
  CHECK(std::string(error->what()) ==
        "--set pipeline.micro_batches: error: pipeline.micro_batches is 1048577, which makes "
        "2147485696 steps; expected at most 2147483648 steps: 2 * ranks * chunks_per_rank * "
        "micro_batches");
}

TEST_CASE("pipeline: the schedule and its options") {
  check_errors(
      kStageScenario,
      {
          {5, "schedule = \"1f1bb\"", 5, 12, "pipeline.schedule is \"1f1bb\"",
           "did you mean 1f1b?"},
          {5, "schedule = \"Zebra stripes\"", 5, 12, "pipeline.schedule is \"Zebra stripes\"",
           "one of gpipe, 1f1b, interleaved_1f1b, looped_bfs, zb_h1, zb_h2, zb_heuristic"},
          {5, "schedule = 1", 5, 12, "pipeline.schedule is 1", "one of gpipe, 1f1b"},
          {5, "schedule = \"\"", 5, 12, "pipeline.schedule is \"\"", "one of gpipe, 1f1b"},
          {5, "", 1, 1, "pipeline.schedule is missing", "the name of a schedule"},
          {5, "schedule_file = 7", 5, 17, "pipeline.schedule_file is 7",
           "the name of a file with a schedule"},
          {5, "schedule_file = \"\"", 5, 17, "pipeline.schedule_file is \"\"",
           "the name of a file"},
          {3, "schedule_file = \"x.steps\"", 3, 17,
           "pipeline.schedule and pipeline.schedule_file are both given", "one of them"},
          {3, "overlap = \"bf\"", 3, 11, "pipeline.overlap is \"bf\"", "did you mean b_f?"},
          {3, "overlap = true", 3, 11, "pipeline.overlap is true", "one of none, b_f, f_b"},
          {3, "p2p = \"plane\"", 3, 7, "pipeline.p2p is \"plane\"", "did you mean plain?"},
          {3, "overlap_p2p = 1", 3, 15, "pipeline.overlap_p2p is 1", "true or false"},
          {3, "split_backward = \"no\"", 3, 18, "pipeline.split_backward is \"no\"",
           "true or false"},
          {3, "less_memory = 0", 3, 15, "pipeline.less_memory is 0", "true or false"},
          {3, "recv_placement = \"later\"", 3, 18, "pipeline.recv_placement is \"later\"",
           "one of early, late; did you mean late?"},
          {3, "recv_placement = 3", 3, 18, "pipeline.recv_placement is 3", "early, late"},
          {3, "memory_limit = -1", 3, 16, "pipeline.memory_limit is -1", "from 0 to 16777215"},
          {3, "memory_limit = nan", 3, 16, "pipeline.memory_limit is nan", "from 0"},
          {3, "memory_limit = inf", 3, 16, "pipeline.memory_limit is inf", "from 0"},
          {3, "memory_limit = \"8GiB\"", 3, 16, "pipeline.memory_limit is \"8GiB\"", "a number"},
          {3, "data_steps = \"true\"", 3, 14, "pipeline.data_steps is \"true\"", "true or false"},
      });
}

TEST_CASE("pipeline: the schedule's file in the place of its name") {
  const Scenario scenario =
      read_scenario(text_of(kStageScenario, 5, "schedule_file = \"x.steps\""), "s.toml");
  CHECK(scenario.pipeline.schedule.empty());
  CHECK(scenario.pipeline.schedule_file == "x.steps");
  CHECK(scenario.pipeline.schedule_at.line == 5);
  CHECK(scenario.pipeline.schedule_at.column == 17);
}

TEST_CASE("pipeline: the stage map is a word or the rank of each of the N stages") {
  check_errors(
      kStageScenario,
      {
          {3, "stage_map = \"w\"", 3, 13, "pipeline.stage_map is \"w\"", "auto, loop, v"},
          {3, "stage_map = 1", 3, 13, "pipeline.stage_map is 1", "one of auto, loop, v"},
          {3, "stage_map = [0]", 3, 13, "pipeline.stage_map is a list of 1 value",
           "a list of 2, the rank of each stage"},
          {3, "stage_map = [0, 1, 0]", 3, 13, "pipeline.stage_map is a list of 3 values",
           "a list of 2"},
          {3, "stage_map = []", 3, 13, "pipeline.stage_map is a list of 0 values", "a list of 2"},
          {3, "stage_map = [0, 2]", 3, 17, "pipeline.stage_map[1] is 2",
           "a whole number from 0 to 1"},
          {3, "stage_map = [\n  0,\n  -1 ]", 5, 3, "pipeline.stage_map[1] is -1", "from 0 to 1"},
          {3, "stage_map = [0, \"v\"]", 3, 17, "pipeline.stage_map[1] is \"v\"", "from 0 to 1"},
      });
}

TEST_CASE("pipeline: an unknown key is told the nearest known one") {
  check_errors(
      kStageScenario,
      {
          {3, "rank = 4", 3, 1, "unknown key \"rank\" in [pipeline]", "did you mean ranks?"},
          {3, "  overlap_p2 = true", 3, 3, "unknown key \"overlap_p2\" in [pipeline]",
           "did you mean overlap_p2p?"},
          {3, "xyzzy = 4", 3, 1, "unknown key \"xyzzy\" in [pipeline]",
           "one of ranks, chunks_per_rank, micro_batches, schedule"},
          {3, "zz = 1\naa = 2", 3, 1, "unknown key \"zz\" in [pipeline]", "one of"},
      });
}

}  // namespace
}  // namespace steptwin
