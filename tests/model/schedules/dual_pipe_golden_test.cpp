#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/formats/torch_csv.h"
#include "model/passes/torch_comms.h"
#include "model/schedules/dual_pipe.h"
#include "model/schedules/schedules.h"
#include "tests/golden_table.h"
#include "tests/golden_torch.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

struct Golden {
  std::string name;
  std::int32_t ranks;
  std::int32_t micros;

  std::string file(const std::string& what) const {
    return test_data("golden/torch/DualPipeV_" + name + "." + what + ".csv");
  }
};
const Golden kGoldens[] = {{"pp2_mb4", 2, 4}, {"pp4_mb8", 4, 8}};

TimeNs millionths(double value) {
  return std::llround(value * 1e6);
}

TEST_CASE("dualpipe_v has PyTorch's order, overlaps included") {
  for (const Golden& golden : kGoldens) {
    CAPTURE(golden.name);
    const auto rows = read_torch_compute_only(golden.file("compute_only"));
    const Schedule schedule = dual_pipe_v(golden.ranks, golden.micros);
    REQUIRE(rows.size() == schedule.ranks.size());
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
      CHECK(schedule.ranks[rank] == StepList(rows[rank].begin(), rows[rank].end()));
    }
  }
}

// With PyTorch's own placement of transfers and FSDP steps the files are equal to the byte.
TEST_CASE("dualpipe_v is PyTorch's file, with and without communication") {
  for (const Golden& golden : kGoldens) {
    CAPTURE(golden.name);
    const auto content = [&golden](const char* what) {
      std::ifstream file(golden.file(what), std::ios::binary);
      REQUIRE(file.good());
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const Schedule schedule = dual_pipe_v(golden.ranks, golden.micros);
    CHECK(torch_csv(schedule) == content("compute_only"));
    CHECK(torch_csv(add_torch_comms(schedule)) == content("compute_comms"));
  }
}

// "0SEND_F3": what a transfer carries, in our words.
std::string transfer_text(const std::string& cell) {
  const std::size_t letters = cell.find_first_not_of("0123456789");
  const std::size_t digits = cell.find_last_not_of("0123456789") + 1;
  const std::string type = cell.substr(letters, digits - letters);
  const std::map<std::string, const char*> types = {{"SEND_F", "FWD_SEND"},
                                                    {"RECV_F", "FWD_RECV"},
                                                    {"SEND_B", "BWD_SEND"},
                                                    {"RECV_B", "BWD_RECV"}};
  const auto found = types.find(type);
  if (found == types.end()) return "";
  return std::string(found->second) + "(s" + cell.substr(0, letters) + ",m" + cell.substr(digits) +
         ")";
}

// By type: the transfers of a rank in the order of its list.
using Transfers = std::map<std::string, std::vector<std::string>>;

// PyTorch places receives earlier than ours: what it sends and receives, and in what order to and
// from each neighbour, is the same.
TEST_CASE("dualpipe_v has PyTorch's transfers, those of a kind in the same order") {
  for (const Golden& golden : kGoldens) {
    CAPTURE(golden.name);
    ScheduleRequest request;
    request.ranks = golden.ranks;
    request.chunks_per_rank = 2;
    request.micro_batches = golden.micros;
    const Schedule schedule = build_schedule("dualpipe_v", request);
    const auto rows = read_torch_cells(golden.file("compute_comms"));
    REQUIRE(rows.size() == schedule.ranks.size());
    const auto note = [](Transfers& transfers, const std::string& text, std::int32_t stage) {
      transfers[text.substr(0, text.find('(')) + " " + std::to_string(stage)].push_back(text);
    };
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
      Transfers wanted;
      for (const std::string& cell : rows[rank]) {
        const std::string text = transfer_text(cell);
        if (!text.empty()) note(wanted, text, std::stoi(cell));
      }
      Transfers placed;
      for (const Slot& slot : schedule.ranks[rank]) {
        if (slot && is_p2p(slot->type)) note(placed, step_label(*slot), slot->stage);
      }
      CHECK(placed == wanted);
    }
  }
}

// "(0F7;7B3)OVERLAP_F_B,8.5,9.5" as "0F7|7B3 8500000 9500000".
std::vector<std::string> recorded_timeline(const std::string& path, std::int32_t rank) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = table_cells(line);
    if (cells.size() != 4 || cells[0] != std::to_string(rank)) continue;
    lines.push_back(order_text({torch_step_or_overlap(cells[1])}) + " " +
                    std::to_string(millionths(std::stod(cells[2]))) + " " +
                    std::to_string(millionths(std::stod(cells[3]))));
  }
  return lines;
}

std::vector<std::string> timeline(const StepList& steps, const RankTimes& times) {
  std::vector<std::string> lines;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    const auto& [start, end] = times.steps.at(index);
    lines.push_back(order_text({steps[index]}) + " " + std::to_string(start) + " " +
                    std::to_string(end));
  }
  return lines;
}

TEST_CASE("dualpipe_v takes the recorded times, step by step") {
  for (const Golden& golden : kGoldens) {
    CAPTURE(golden.name);
    const ZbHeuristicCosts costs = uniform_costs(2 * golden.ranks, 500'000, 500'000, 500'000, 0);
    const Schedule overlapped = dual_pipe_v(golden.ranks, golden.micros);
    const Schedule serial = one_by_one(overlapped);
    const TimedOrder timed = time_order(overlapped, costs);
    const TimedOrder timed_serial = time_order(serial, costs);
    for (std::int32_t rank = 0; rank < golden.ranks; ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      CHECK(timeline(overlapped.ranks[index], timed.ranks[index]) ==
            recorded_timeline(golden.file("timeline_overlap"), rank));
      CHECK(timeline(serial.ranks[index], timed_serial.ranks[index]) ==
            recorded_timeline(golden.file("timeline"), rank));
    }
  }
}

TEST_CASE("dualpipe_v takes the recorded times and memory, overlapped or not") {
  int compared = 0;
  for (const TableRow& row : read_table(test_data("golden/torch/summary.csv"))) {
    if (row.at("schedule") != "DualPipeV") continue;
    const std::int32_t ranks = std::stoi(row.at("pp"));
    const std::int32_t micros = std::stoi(row.at("mb"));
    const auto chunk_time = [&row](const std::string& column) {
      return millionths(std::stod(row.at(column)) / 2);
    };
    const ZbHeuristicCosts costs =
        uniform_costs(2 * ranks, chunk_time("tF"), chunk_time("tB_input"), chunk_time("tW"),
                      millionths(std::stod(row.at("comm"))));
    CAPTURE(ranks);
    CAPTURE(micros);
    CAPTURE(costs.p2p_ns);
    CAPTURE(row.at("overlap"));
    const bool serial = row.at("overlap") == "serial";
    const Schedule schedule = dual_pipe_v(ranks, micros);
    const TimedOrder timed = time_order(serial ? one_by_one(schedule) : schedule, costs);
    REQUIRE(timed.complete);
    CHECK(timed.makespan() == millionths(std::stod(row.at("makespan"))));
    CHECK(timed.longest_span() == millionths(std::stod(row.at("max_rank_span"))));
    const std::vector<double> live = numbers_in(row.at("peak_live_stage_acts_per_rank"));
    REQUIRE(live.size() == timed.ranks.size());
    for (std::size_t rank = 0; rank < live.size(); ++rank) {
      CHECK(timed.ranks[rank].peak_live == static_cast<std::int32_t>(live[rank]));
    }
    ++compared;
  }
  CHECK(compared == 48);
}

}  // namespace
}  // namespace steptwin
