#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/schedules/one_f_one_b_v.h"
#include "model/schedules/v_half.h"
#include "model/schedules/zbv_heuristic.h"
#include "tests/golden_table.h"
#include "tests/golden_torch.h"
#include "tests/timed_orders.h"

namespace steptwin {
namespace {

// The published programs of the V schedules, as recorded: orders and timelines of four ranks,
// figures of four and eight.

TimeNs millionths(double value) {
  return std::llround(value * 1e6);
}

// The table writes 5.0 where the name of the file has 5.
std::string short_number(const std::string& cell) {
  return cell.ends_with(".0") ? cell.substr(0, cell.size() - 2) : cell;
}

struct Case {
  std::string name;  // of the schedule in the table
  std::int32_t ranks;
  std::int32_t micros;
  ZbHeuristicCosts costs;
  std::string file;  // order and timeline, where there are any

  explicit Case(const TableRow& row)
      : name(row.at("schedule")),
        ranks(std::stoi(row.at("p"))),
        micros(std::stoi(row.at("m"))),
        costs(uniform_costs(2 * ranks, millionths(std::stod(row.at("F"))),
                            millionths(std::stod(row.at("B"))), millionths(std::stod(row.at("W"))),
                            millionths(std::stod(row.at("C"))))),
        file("golden/zero_bubble/" + name + "_p" + row.at("p") + "_m" + row.at("m") + "_F" +
             short_number(row.at("F")) + "_B" + short_number(row.at("B")) + "_W" +
             short_number(row.at("W")) + "_C" + row.at("C") + ".txt") {}

  bool is_ours() const {
    return name == "1F1B-V" || name == "V-Half" || name == "V-Min" || name == "ZBV_heuristic";
  }
  Schedule schedule() const {
    if (name == "1F1B-V") return one_f_one_b_v(ranks, micros);
    if (name == "V-Half") return v_half(ranks, micros);
    if (name == "V-Min") return v_min(ranks, micros);
    return zbv_heuristic(costs, micros);
  }

  // Where the published program breaks ties by the rounding of 0.1 in binary fractions.
  bool decided_by_rounding() const {
    return name == "ZBV_heuristic" && costs.p2p_ns == millionths(0.1);
  }
};

// "F0.c1[1,2.5]" as "7F0[1000000,2500000]" on rank 0 of four: our letters, stages and times.
std::string our_word(const std::string& word, std::int32_t rank, std::int32_t ranks) {
  const std::size_t digits = word.find_first_of("0123456789");
  const std::size_t dot = word.find(".c");
  const std::string type = word.substr(0, digits);
  const std::int32_t stage = word.at(dot + 2) == '0' ? rank : 2 * ranks - 1 - rank;
  std::string text = std::to_string(stage) +
                     (type == "BW"  ? "B"
                      : type == "B" ? "I"
                                    : type) +
                     word.substr(digits, dot - digits);
  const std::size_t bracket = word.find('[');
  if (bracket == std::string::npos) return text;
  const std::vector<double> times = numbers_in(word.substr(bracket));
  return text + "[" + std::to_string(millionths(times.at(0))) + "," +
         std::to_string(millionths(times.at(1))) + "]";
}

// The lines of one part of the file, a rank each.
std::vector<std::string> lines_of(const std::string& path, const std::string& part,
                                  std::int32_t ranks) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) inside = line.starts_with("# " + part);
    if (!inside || !line.starts_with("stage")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::string text;
    const auto rank = static_cast<std::int32_t>(lines.size());
    for (std::string word; words >> word;) {
      text += (text.empty() ? "" : " ") + our_word(word, rank, ranks);
    }
    lines.push_back(text);
  }
  return lines;
}

std::string timeline_text(const StepList& steps, const RankTimes& times) {
  std::string text;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    const auto& [start, end] = times.steps.at(index);
    text += (text.empty() ? "" : " ") + order_text({steps[index]}) + "[" + std::to_string(start) +
            "," + std::to_string(end) + "]";
  }
  return text;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const TableRow& row : read_table(test_data("golden/zero_bubble/summary.csv"))) {
    if (Case(row).is_ours()) all.emplace_back(row);
  }
  return all;
}

TEST_CASE("1F1B-V, V-Half, V-Min and the ZBV heuristic have the recorded orders and timelines") {
  int compared = 0;
  for (const Case& golden : cases()) {
    const bool has_file = golden.ranks == 4 && golden.micros <= 12;
    if (!has_file || golden.decided_by_rounding()) continue;
    CAPTURE(golden.file);
    const std::vector<std::string> orders = lines_of(test_data(golden.file), "order", golden.ranks);
    const std::vector<std::string> timelines =
        lines_of(test_data(golden.file), "timeline", golden.ranks);
    const Schedule schedule = golden.schedule();
    const TimedOrder timed = time_order(schedule, golden.costs);
    REQUIRE(orders.size() == schedule.ranks.size());
    REQUIRE(timelines.size() == schedule.ranks.size());
    for (std::size_t rank = 0; rank < orders.size(); ++rank) {
      CHECK(order_text(schedule.ranks[rank]) == orders[rank]);
      CHECK(timeline_text(schedule.ranks[rank], timed.ranks[rank]) == timelines[rank]);
    }
    ++compared;
  }
  CHECK(compared == 24 - 2);
}

TEST_CASE("they take the recorded times and memory") {
  int exact = 0;
  for (const TableRow& row : read_table(test_data("golden/zero_bubble/summary.csv"))) {
    const Case golden(row);
    if (!golden.is_ours() || golden.decided_by_rounding()) continue;
    CAPTURE(golden.file);
    const TimedOrder timed = time_order(golden.schedule(), golden.costs);
    REQUIRE(timed.complete);
    CHECK(timed.makespan() == millionths(std::stod(row.at("makespan"))));
    CHECK(timed.longest_span() == millionths(std::stod(row.at("longest_stage_time"))));
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
  CHECK(exact == 4 * 6 * 3 - 6);
}

// Times in tenths. What the program and ours make short is the longest span. On four ranks ours is
// the shorter one, with an end that is two tenths later; no way to break the ties has both.
TEST_CASE("the ZBV heuristic where rounding decides ties: the same memory, ends and spans nearby") {
  struct Expected {
    std::int32_t ranks;
    std::int32_t micros;
    TimeNs makespan;
    TimeNs longest_span;
    TimeNs recorded_makespan;
    TimeNs recorded_span;
  };
  const Expected expectations[] = {
      {4, 8, 270, 254, 268, 256}, {4, 12, 390, 374, 388, 377}, {4, 16, 510, 494, 508, 496},
      {8, 8, 314, 291, 314, 291}, {8, 16, 550, 518, 550, 517}, {8, 32, 1030, 998, 1030, 998},
  };
  int compared = 0;
  for (const TableRow& row : read_table(test_data("golden/zero_bubble/summary.csv"))) {
    const Case golden(row);
    if (!golden.decided_by_rounding()) continue;
    CAPTURE(golden.file);
    const TimedOrder timed = time_order(golden.schedule(), golden.costs);
    const std::vector<double> live = numbers_in(row.at("peak_live"));
    for (std::size_t rank = 0; rank < live.size(); ++rank) {
      CHECK(timed.ranks[rank].peak_live == static_cast<std::int32_t>(live[rank]));
    }
    for (const Expected& expected : expectations) {
      if (expected.ranks != golden.ranks || expected.micros != golden.micros) continue;
      const TimeNs tenth = millionths(0.1);
      CHECK(timed.makespan() == expected.makespan * tenth);
      CHECK(timed.longest_span() == expected.longest_span * tenth);
      CHECK(millionths(std::stod(row.at("makespan"))) == expected.recorded_makespan * tenth);
      CHECK(millionths(std::stod(row.at("longest_stage_time"))) == expected.recorded_span * tenth);
      ++compared;
    }
  }
  CHECK(compared == 6);
}

}  // namespace
}  // namespace steptwin
