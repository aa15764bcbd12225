#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "model/formats/steps_text.h"
#include "model/passes/boundary_p2p.h"
#include "model/passes/coalesce_p2p.h"
#include "model/passes/fsdp.h"
#include "model/passes/offload.h"
#include "model/passes/split_backward.h"
#include "model/schedules/schedules.h"
#include "tests/golden_torch.h"

namespace steptwin {
namespace {

struct Golden {
  const char* file;
  const char* schedule;
  std::int32_t ranks;
  std::int32_t chunks;
  std::int32_t micro_batches;
};

constexpr Golden kOverlapped[] = {{"inter_ovlbf_pp2_vpp1_mb4", "", 2, 1, 4},
                                  {"inter_ovlbf_pp2_vpp2_mb4", "", 2, 2, 4},
                                  {"inter_ovlbf_pp2_vpp2_mb8", "", 2, 2, 8},
                                  {"inter_ovlbf_pp4_vpp2_mb8", "", 4, 2, 8}};

Schedule overlapped(const Golden& golden, bool data_steps) {
  ScheduleRequest request;
  request.ranks = golden.ranks;
  request.chunks_per_rank = golden.chunks;
  request.micro_batches = golden.micro_batches;
  request.overlap = OverlapMode::b_f;
  request.data_steps = data_steps;
  return build_schedule("interleaved_1f1b", request);
}

Schedule with_data_steps(const Golden& golden) {
  ScheduleRequest request;
  request.ranks = golden.ranks;
  request.chunks_per_rank = golden.chunks;
  request.micro_batches = golden.micro_batches;
  request.data_steps = true;
  return build_schedule(golden.schedule, request);
}

// The lines "rank0: ..." of a golden file, without the comments; none if there is no such file.
std::vector<std::string> golden_lines(const std::string& file) {
  std::ifstream in(test_data("golden/steps/" + file + ".txt"));
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

// Both orders of the pass, with DATA steps between the transfers and without; returns how many
// golden files there were.
int compare_overlapped(const std::string& pass, const std::function<Schedule(Schedule)>& apply) {
  int compared = 0;
  for (const Golden& golden : kOverlapped) {
    for (const bool data_steps : {true, false}) {
      const std::string file =
          std::string(golden.file) + "." + pass + (data_steps ? ".newest" : ".predata");
      CAPTURE(file);
      const std::vector<std::string> expected = golden_lines(file);
      if (expected.empty()) continue;
      ++compared;
      CHECK(lines_of(apply(overlapped(golden, data_steps))) == expected);
    }
  }
  return compared;
}

TEST_CASE("batches, boundary transfers and split backwards are the golden ones") {
  CHECK(compare_overlapped("batch", coalesce_p2p) == 8);
  CHECK(compare_overlapped("boundary", attach_boundary_p2p) == 6);
  CHECK(compare_overlapped("dxdw", split_overlapped_backward) == 6);
}

TEST_CASE("FSDP steps are the golden ones") {
  for (const Golden& golden : {Golden{"1f1b_fsdp_pp2_mb4", "1f1b", 2, 1, 4},
                               Golden{"inter_fsdp_pp2_vpp4_mb4", "interleaved_1f1b", 2, 4, 4}}) {
    CAPTURE(golden.file);
    const std::vector<std::string> expected = golden_lines(std::string(golden.file) + ".full");
    REQUIRE(expected.size() == 2);
    CHECK(lines_of(add_fsdp_steps(with_data_steps(golden))) == expected);
  }
}

TEST_CASE("offload steps are the golden ones") {
  for (const Golden& golden : {Golden{"1f1b_swap_pp4_mb8", "1f1b", 4, 1, 8},
                               Golden{"gpipe_swap_pp2_mb4", "gpipe", 2, 1, 4}}) {
    CAPTURE(golden.file);
    const std::vector<std::string> expected = golden_lines(std::string(golden.file) + ".full");
    REQUIRE(!expected.empty());
    CHECK(lines_of(add_offload_steps(with_data_steps(golden))) == expected);
  }
}

TEST_CASE("all passes in their order: split, FSDP, batches, offload") {
  const Schedule built = overlapped(kOverlapped[3], true);
  const Schedule sharded = add_fsdp_steps(split_overlapped_backward(built));
  CHECK(lines_of(add_offload_steps(coalesce_p2p(sharded))) ==
        golden_lines("inter_ovlbf_dxdw_fsdp_batch_swap_pp4_vpp2_mb8.full"));
}

}  // namespace
}  // namespace steptwin
