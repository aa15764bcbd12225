#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "model/formats/steps_text.h"
#include "model/schedules/schedules.h"
#include "tests/golden_torch.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

struct Golden {
  const char* file;  // without its ending
  const char* schedule;
  std::int32_t ranks;
  std::int32_t chunks;
  std::int32_t micro_batches;
  bool overlap = false;
  bool less_memory = false;
};

ScheduleRequest request_of(const Golden& golden) {
  ScheduleRequest request;
  request.ranks = golden.ranks;
  request.chunks_per_rank = golden.chunks;
  request.micro_batches = golden.micro_batches;
  request.overlap = golden.overlap ? OverlapMode::b_f : OverlapMode::none;
  request.less_memory = golden.less_memory;
  return request;
}

// The lines "rank0: ..." of a golden file, without the comments.
std::vector<std::string> golden_lines(const std::string& file) {
  std::ifstream in(test_data("golden/steps/" + file));
  REQUIRE_MESSAGE(in.good(), file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("rank")) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> lines_of(const Schedule& schedule) {
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    lines.push_back(fmt::format("rank{}: {}", rank, steps_text(schedule.ranks[rank])));
  }
  return lines;
}

Schedule without_bubbles(Schedule schedule) {
  for (StepList& list : schedule.ranks) {
    std::erase_if(list, [](const Slot& slot) { return !slot.has_value(); });
  }
  return schedule;
}

const std::vector<Golden>& golden_steps() {
  static const std::vector<Golden> all = {
      {"gpipe_pp2_mb4", "gpipe", 2, 1, 4},
      {"gpipe_pp4_mb2", "gpipe", 4, 1, 2},
      {"gpipe_pp4_mb8", "gpipe", 4, 1, 8},
      {"1f1b_pp1_mb4", "1f1b", 1, 1, 4},
      {"1f1b_pp2_mb4", "1f1b", 2, 1, 4},
      {"1f1b_pp3_mb4", "1f1b", 3, 1, 4},
      {"1f1b_pp4_mb2", "1f1b", 4, 1, 2},
      {"1f1b_pp4_mb8", "1f1b", 4, 1, 8},
      {"inter_pp2_vpp2_mb4", "interleaved_1f1b", 2, 2, 4},
      {"inter_pp4_vpp1_mb8", "interleaved_1f1b", 4, 1, 8},
      {"inter_pp4_vpp2_mb2", "interleaved_1f1b", 4, 2, 2},
      {"inter_pp4_vpp2_mb4", "interleaved_1f1b", 4, 2, 4},
      {"inter_pp4_vpp2_mb6", "interleaved_1f1b", 4, 2, 6},
      {"inter_pp4_vpp2_mb8", "interleaved_1f1b", 4, 2, 8},
      {"inter_ovlbf_pp2_vpp1_mb4", "interleaved_1f1b", 2, 1, 4, true},
      {"inter_ovlbf_pp2_vpp2_mb4", "interleaved_1f1b", 2, 2, 4, true},
      {"inter_ovlbf_pp2_vpp2_mb8", "interleaved_1f1b", 2, 2, 8, true},
      {"inter_ovlbf_pp4_vpp2_mb8", "interleaved_1f1b", 4, 2, 8, true},
      {"inter_lessmem_pp4_vpp1_mb8", "interleaved_1f1b", 4, 1, 8, false, true},
      {"inter_lessmem_pp4_vpp2_mb8", "interleaved_1f1b", 4, 2, 8, false, true},
  };
  return all;
}

TEST_CASE("step lists equal the golden ones, without bubbles and DATA steps") {
  for (const Golden& golden : golden_steps()) {
    CAPTURE(golden.file);
    const Schedule schedule = build_schedule(golden.schedule, request_of(golden));
    CHECK(lines_of(without_bubbles(schedule)) ==
          golden_lines(std::string(golden.file) + ".core.txt"));
  }
}

TEST_CASE("step lists equal the golden ones, with bubbles and DATA steps") {
  for (const Golden& golden : golden_steps()) {
    CAPTURE(golden.file);
    ScheduleRequest request = request_of(golden);
    request.data_steps = true;
    CHECK(lines_of(build_schedule(golden.schedule, request)) ==
          golden_lines(std::string(golden.file) + ".full.txt"));
  }
}

TEST_CASE("the compute order of every rank is PyTorch's") {
  const std::vector<Golden> all = {
      {"GPipe_pp2_mb4", "gpipe", 2, 1, 4},
      {"GPipe_pp4_mb8", "gpipe", 4, 1, 8},
      {"1F1B_runtime_order_pp2_mb4", "1f1b", 2, 1, 4},
      {"1F1B_runtime_order_pp4_mb8", "1f1b", 4, 1, 8},
      {"Interleaved1F1B_vpp2_pp2_mb4", "interleaved_1f1b", 2, 2, 4},
      {"Interleaved1F1B_vpp2_pp4_mb8", "interleaved_1f1b", 4, 2, 8},
      {"LoopedBFS_vpp2_pp2_mb4", "looped_bfs", 2, 2, 4},
      {"LoopedBFS_vpp2_pp4_mb8", "looped_bfs", 4, 2, 8},
  };
  for (const Golden& golden : all) {
    CAPTURE(golden.file);
    ScheduleRequest request = request_of(golden);
    request.p2p = false;
    const Schedule schedule = without_bubbles(build_schedule(golden.schedule, request));
    const auto expected = read_torch_compute_only(
        test_data("golden/torch/" + std::string(golden.file) + ".compute_only.csv"));
    REQUIRE(expected.size() == schedule.ranks.size());
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
      CHECK(steps_text(schedule.ranks[rank]) ==
            steps_text(StepList(expected[rank].begin(), expected[rank].end())));
    }
  }
}

}  // namespace
}  // namespace steptwin
