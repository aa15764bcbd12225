#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/schedules/zb_heuristic.h"
#include "model/schedules/zero_bubble.h"
#include "tests/golden_table.h"
#include "tests/golden_torch.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

// The tables count in their own units; a millionth of one is exact for all of their times.
TimeNs millionths(double value) {
  return std::llround(value * 1e6);
}

std::int32_t integer(const std::string& cell) {
  return std::stoi(cell);
}

double share(TimeNs part, TimeNs whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// 1 - M (F + I + W) / (longest rank span).
double bubble_of_span(const TimedOrder& timed, const ZbHeuristicCosts& costs, std::int32_t micros) {
  const TimeNs ideal =
      micros * (costs.forward_ns[0] + costs.backward_input_ns[0] + costs.backward_weight_ns[0]);
  return 1 - share(ideal, timed.longest_span());
}

// The plain 1F1B order, with the full backward in one step: the yardstick of the tables.
Schedule one_forward_one_backward(std::int32_t ranks, std::int32_t micros) {
  Schedule schedule{"1f1b", loop_map(ranks, 1), micros, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    StepList steps;
    const std::int32_t ahead = std::min(ranks - 1 - rank, micros);
    for (std::int32_t micro = 0; micro < ahead; ++micro) {
      steps.emplace_back(make_step(StepType::fwd, rank, micro));
    }
    for (std::int32_t micro = 0; micro < micros; ++micro) {
      if (micro + ahead < micros) {
        steps.emplace_back(make_step(StepType::fwd, rank, micro + ahead));
      }
      steps.emplace_back(make_step(StepType::bwd, rank, micro));
    }
    schedule.ranks.push_back(std::move(steps));
  }
  return schedule;
}

TEST_CASE("the orders PyTorch has for interleaved_zb, zb_h1 and zbv, and the paper's for zb_h2") {
  struct Case {
    std::string file;
    Schedule schedule;
  };
  const Case cases[] = {
      {"InterleavedZeroBubble_vpp1_pp2_mb4", zb_h1(2, 4)},
      {"InterleavedZeroBubble_vpp1_pp4_mb8", zb_h1(4, 8)},
      {"InterleavedZeroBubble_vpp1_pp4_mb8", interleaved_zb(4, 1, 8)},
      {"InterleavedZeroBubble_vpp2_pp2_mb4", interleaved_zb(2, 2, 4)},
      {"InterleavedZeroBubble_vpp2_pp4_mb8", interleaved_zb(4, 2, 8)},
      {"ZBVZeroBubble_pp2_mb4", zbv(2, 4)},
      {"ZBVZeroBubble_pp4_mb8", zbv(4, 8)},
      {"ZBH2_handmade_pp4_mb8", zb_h2(4, 8)},
      {"ZBH2_handmade_pp4_mb12", zb_h2(4, 12)},
      {"ZBH2_handmade_pp8_mb24", zb_h2(8, 24)},
  };
  for (const Case& golden : cases) {
    CAPTURE(golden.file);
    const std::vector<std::vector<Step>> rows =
        read_torch_compute_only(test_data("golden/torch/" + golden.file + ".compute_only.csv"));
    REQUIRE(rows.size() == golden.schedule.ranks.size());
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
      CAPTURE(rank);
      CHECK(order_text(golden.schedule.ranks[rank]) ==
            order_text(StepList(rows[rank].begin(), rows[rank].end())));
    }
  }
}

// A table row of the zero-bubble golden data and what we make of it.
struct HeuristicCase {
  std::string name;  // of the schedule in the table
  std::int32_t ranks;
  std::int32_t micros;
  ZbHeuristicCosts costs;
  std::string file;  // the order, where there is one

  explicit HeuristicCase(const TableRow& row)
      : name(row.at("schedule")),
        ranks(integer(row.at("p"))),
        micros(integer(row.at("m"))),
        costs(uniform_costs(ranks, millionths(std::stod(row.at("F"))),
                            millionths(std::stod(row.at("B"))), millionths(std::stod(row.at("W"))),
                            millionths(std::stod(row.at("C"))))),
        file("golden/zero_bubble/" + name + "_p" + row.at("p") + "_m" + row.at("m") + "_F" +
             row.at("F") + "_B" + row.at("B") + "_W" + row.at("W") + "_C" + row.at("C") + ".txt") {}

  bool is_heuristic() const { return name.substr(0, 3) == "ZB_"; }

  Schedule schedule() const {
    if (name == "ZB_nolimit") return zb_heuristic(costs, micros);
    return zb_heuristic(costs, micros, name == "ZB_maxpending_1p_H1like" ? ranks : 2 * ranks);
  }

  // The published program adds 0.1 in binary floating point. Where two times are equal but for its
  // rounding it decides by the rounding, and finds another order, never a shorter one.
  bool decided_by_rounding() const {
    if (costs.p2p_ns != millionths(0.1)) return false;
    const std::string key = name + " " + std::to_string(ranks) + " " + std::to_string(micros);
    for (const std::string_view listed :
         {"ZB_maxpending_2p_H2like 4 8", "ZB_nolimit 4 8", "ZB_maxpending_2p_H2like 4 12",
          "ZB_maxpending_2p_H2like 4 16", "ZB_maxpending_2p_H2like 8 16", "ZB_nolimit 8 16",
          "ZB_maxpending_1p_H1like 8 32", "ZB_maxpending_2p_H2like 8 32"}) {
      if (key == listed) return true;
    }
    return false;
  }
};

// The order of each stage, in our letters: the files write I as B.
std::vector<std::string> heuristic_orders(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::vector<std::string> orders;
  for (std::string line; std::getline(file, line) && line.find("# timeline") != 0;) {
    if (line.find("stage") != 0) continue;
    std::string text;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) {
      if (!text.empty()) text += ' ';
      text += std::to_string(orders.size());
      text += word[0] == 'B' ? 'I' : word[0];
      text += word.substr(1, word.find('.') - 1);
    }
    orders.push_back(text);
  }
  return orders;
}

TEST_CASE("zb_heuristic finds the recorded orders") {
  int compared = 0;
  for (const TableRow& row : read_table(test_data("golden/zero_bubble/summary.csv"))) {
    const HeuristicCase golden(row);
    const bool has_file = golden.ranks == 4 && golden.micros <= 12;
    if (!golden.is_heuristic() || !has_file || golden.decided_by_rounding()) continue;
    CAPTURE(golden.file);
    const std::vector<std::string> orders = heuristic_orders(test_data(golden.file));
    const Schedule schedule = golden.schedule();
    REQUIRE(orders.size() == schedule.ranks.size());
    for (std::size_t rank = 0; rank < orders.size(); ++rank) {
      CHECK(order_text(schedule.ranks[rank]) == orders[rank]);
    }
    ++compared;
  }
  CHECK(compared == 15);
}

TEST_CASE("zb_heuristic and 1F1B take the recorded times and memory") {
  int exact = 0;
  int rounded = 0;
  for (const TableRow& row : read_table(test_data("golden/zero_bubble/summary.csv"))) {
    const HeuristicCase golden(row);
    if (!golden.is_heuristic() && golden.name != "1F1B") continue;
    CAPTURE(golden.file);
    const Schedule schedule = golden.is_heuristic()
                                  ? golden.schedule()
                                  : one_forward_one_backward(golden.ranks, golden.micros);
    const TimedOrder timed = time_order(schedule, golden.costs);
    REQUIRE(timed.complete);
    const TimeNs makespan = millionths(std::stod(row.at("makespan")));
    const TimeNs longest_span = millionths(std::stod(row.at("longest_stage_time")));
    if (golden.decided_by_rounding()) {
      CHECK(timed.makespan() <= makespan);
      CHECK(timed.longest_span() <= longest_span);
      ++rounded;
      continue;
    }
    CHECK(timed.makespan() == makespan);
    CHECK(timed.longest_span() == longest_span);
    CHECK(bubble_of_span(timed, golden.costs, golden.micros) ==
          doctest::Approx(std::stod(row.at("bubble_rate_paper"))).epsilon(1e-6).scale(1));
    const std::vector<double> idle = numbers_in(row.at("per_stage_idle_in_span"));
    const std::vector<double> live = numbers_in(row.at("peak_live"));
    REQUIRE(idle.size() == timed.ranks.size());
    REQUIRE(live.size() == timed.ranks.size());
    for (std::size_t rank = 0; rank < idle.size(); ++rank) {
      CHECK(timed.ranks[rank].idle() == millionths(idle[rank]));
      CHECK(timed.ranks[rank].peak_live == static_cast<std::int32_t>(live[rank]));
    }
    ++exact;
  }
  CHECK(exact == 18 * 4 - 8);
  CHECK(rounded == 8);
}

TEST_CASE("interleaved_zb, zb_h1 and zbv take the recorded times and memory") {
  int compared = 0;
  for (const TableRow& row : read_table(test_data("golden/torch/summary.csv"))) {
    const std::string& name = row.at("schedule");
    const bool interleaved = name.substr(0, 21) == "InterleavedZeroBubble";
    if (!interleaved && name != "ZBVZeroBubble") continue;
    const std::int32_t ranks = integer(row.at("pp"));
    const std::int32_t chunks = integer(row.at("vpp"));
    const std::int32_t micros = integer(row.at("mb"));
    const auto chunk_time = [&row, chunks](const std::string& column) {
      return millionths(std::stod(row.at(column)) / chunks);
    };
    const ZbHeuristicCosts costs =
        uniform_costs(ranks * chunks, chunk_time("tF"), chunk_time("tB_input"), chunk_time("tW"),
                      millionths(std::stod(row.at("comm"))));
    CAPTURE(name);
    CAPTURE(ranks);
    CAPTURE(micros);
    CAPTURE(costs.p2p_ns);
    const Schedule schedule =
        interleaved ? interleaved_zb(ranks, chunks, micros) : zbv(ranks, micros);
    const TimedOrder timed = time_order(schedule, costs);
    REQUIRE(timed.complete);
    CHECK(timed.makespan() == millionths(std::stod(row.at("makespan"))));
    CHECK(timed.longest_span() == millionths(std::stod(row.at("max_rank_span"))));
    CHECK(1 - share(timed.ranks[0].busy, timed.makespan()) ==
          doctest::Approx(std::stod(row.at("bubble_ratio"))).epsilon(1e-6).scale(1));
    CHECK(1 - share(timed.ranks[0].busy, timed.longest_span()) ==
          doctest::Approx(std::stod(row.at("max_rank_idle_in_span"))).epsilon(1e-6).scale(1));
    const std::vector<double> live = numbers_in(row.at("peak_live_stage_acts_per_rank"));
    REQUIRE(live.size() == timed.ranks.size());
    for (std::size_t rank = 0; rank < live.size(); ++rank) {
      CHECK(timed.ranks[rank].peak_live == static_cast<std::int32_t>(live[rank]));
    }
    ++compared;
  }
  CHECK(compared == 96);
}

TEST_CASE("the published bubble rates of four models, to the four digits given") {
  const std::vector<TableRow> table = read_table(test_data("published/zero_bubble_table.csv"));
  CHECK(table.size() == 9);
  for (const TableRow& row : table) {
    const std::int32_t ranks = integer(row.at("ranks"));
    const std::int32_t micros = integer(row.at("micro_batches"));
    const auto time = [&row](const std::string& column) {
      return millionths(std::stod(row.at(column)));
    };
    const ZbHeuristicCosts costs =
        uniform_costs(ranks, time("forward_ms"), time("backward_input_ms"),
                      time("backward_weight_ms"), time("p2p_ms"));
    CAPTURE(row.at("model"));
    CAPTURE(micros);
    const auto check_rate = [&](const Schedule& schedule, const std::string& column) {
      CAPTURE(column);
      const TimedOrder timed = time_order(schedule, costs);
      REQUIRE(timed.complete);
      const double rate = bubble_of_span(timed, costs, micros);
      CHECK(std::round(rate * 1e4) == std::round(std::stod(row.at(column)) * 1e4));
    };
    check_rate(one_forward_one_backward(ranks, micros), "bubble_span_1f1b");
    check_rate(zb_h1(ranks, micros), "bubble_span_zb_h1");
    check_rate(zb_h2(ranks, micros), "bubble_span_zb_h2");
    check_rate(zb_heuristic(costs, micros, ranks), "bubble_span_zb_1p");
    check_rate(zb_heuristic(costs, micros, 2 * ranks), "bubble_span_zb_2p");
  }
}

}  // namespace
}  // namespace steptwin
