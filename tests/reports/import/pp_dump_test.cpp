#include "reports/import/pp_dump.h"

#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "tests/reports/import/made_up_dump.h"
#include "tests/scratch_folder.h"

namespace steptwin::reports {
namespace {

TEST_CASE("a dump: spans in nanoseconds by iteration, rank and micro-batch") {
  const PpDump dump = read_pp_dump(made_up_dump());
  CHECK(dump.ranks == 2);
  CHECK(dump.micro_batches == 3);
  REQUIRE(dump.iterations.size() == 5);
  const PpIteration& fourth = dump.iterations[3];
  CHECK(fourth.number == 4);
  REQUIRE(fourth.ranks.size() == 2);
  CHECK(fourth.ranks[0].forward ==
        std::vector<Interval>{{0, 10'000'000}, {10'500'000, 35'500'000}, {63'000'000, 73'000'000}});
  CHECK(fourth.ranks[1].backward == std::vector<Interval>{{18'500'000, 38'500'000},
                                                          {49'500'000, 69'500'000},
                                                          {81'500'000, 101'500'000}});
  CHECK(fourth.ranks[1].total_ns == 102'000'000);
  CHECK(fourth.ranks[1].memory_gb == 30.5);
}

// Rank 0 computes 3 * 10 + 3 * 20 of the 126 ms of the longest total, and 15 more in iteration 4.
TEST_CASE("step time and bubbles are of the longest total") {
  const PpDump dump = read_pp_dump(made_up_dump());
  CHECK(step_time_ns(dump.iterations[2]) == 126'000'000);
  CHECK(bubble_ratio(dump.iterations[2], 0) == doctest::Approx(36.0 / 126));
  CHECK(bubble_ratio(dump.iterations[3], 0) == doctest::Approx(21.0 / 126));
  CHECK(mean_bubble_ratio(dump.iterations[3]) == doctest::Approx((21.0 + 36.0) / 252));
  CHECK_FALSE(bubble_ratio({1, {PpRank{}}}, 0));
}

TEST_CASE("a folder is such a dump if it has config.json and the file of rank 0") {
  CHECK(is_pp_dump(made_up_dump()));
  CHECK_FALSE(is_pp_dump(made_up_dump() + "/.."));
  CHECK_FALSE(is_pp_dump("/nowhere"));
}

const std::string kConfig = R"({"pp_size": 1, "vp_size": 1, "num_mbs": 2, "name": {"pp_size": 9}})";
const std::string kIteration =
    R"("total": 40, "fwd_start": [0, 1], "fwd_end": [1, 2], "bwd_start": [2, 3], "bwd_end": [3, 4])";

// What is said of a dump of one rank, "" if nothing, without the folder.
std::string complaint(const std::string& config, const std::string& rank) {
  const ScratchFolder folder;
  folder.write("config.json", config);
  folder.write("pp_rank_0.json", rank);
  try {
    read_pp_dump(folder.path());
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(text.starts_with(folder.path() + "/"));
    return text.substr(folder.path().size() + 1);
  }
  return "";
}

TEST_CASE("memory may be missing; a byte order mark and members of the config may be there") {
  CHECK(complaint(kConfig, "{\"1\": {" + kIteration + "}}") == "");
  CHECK(complaint("\xEF\xBB\xBF" + kConfig, "{\"1\": {" + kIteration + "}}") == "");
}

TEST_CASE("a wrong config is told at its place") {
  const auto config = [](const std::string& text) { return complaint(text, "{}"); };
  CHECK(config("[]") == "config.json:1:1: error: this is no object; expected an object");
  CHECK(config("7") == "config.json:1:1: error: this is no object; expected an object");
  CHECK(config("{\"pp_size\": 1,\n \"vp_size\": 2}") ==
        "config.json:2:13: error: vp_size is 2; expected 1: runs with interleaved chunks are not "
        "read");
  CHECK(config("{\"pp_size\": 1.5}") ==
        "config.json:1:13: error: pp_size is not a count; expected a whole number from 1");
  CHECK(config("{\"pp_size\": \"a\\\"b\"}") ==
        "config.json:1:13: error: pp_size is not a count; expected a whole number from 1");
  CHECK(config("{\"num_mbs\": 0}") ==
        "config.json:1:13: error: num_mbs is not a count; expected a whole number from 1");
  CHECK(config("{\"pp_size\": 1000000}") ==
        "config.json:1:13: error: pp_size is 1000000; expected at most 65536");
  CHECK(config("{\"pp_size\": 1, \"pp_size\": 1}") ==
        "config.json:1:27: error: pp_size is there twice; expected it once");
  CHECK(config("{\"pp_size\": 1, \"vp_size\": 1}") ==
        "config.json:1:1: error: num_mbs is missing; expected pp_size, vp_size and num_mbs");
  CHECK(config("{\"pp_size\": [1], \"vp_size\": 1, \"num_mbs\": 1}") ==
        "config.json:1:1: error: pp_size is missing; expected pp_size, vp_size and num_mbs");
  CHECK(config("{\"pp_size\": 1") ==
        "config.json:1:14: error: this is no JSON: Missing a comma or '}' after an object member; "
        "expected a JSON text");
}

TEST_CASE("a wrong iteration is told at its place") {
  const auto rank = [](const std::string& text) { return complaint(kConfig, text); };
  CHECK(rank("") ==
        "pp_rank_0.json:1:1: error: this is no JSON: The document is empty; expected a JSON text");
  CHECK(rank("{}") == "pp_rank_0.json:1:1: error: there is no iteration; expected at least one");
  CHECK(rank("{\"a\": {}}") ==
        "pp_rank_0.json:1:2: error: \"a\" is no iteration; expected the number of one, as in "
        "\"1\"");
  CHECK(rank("{\"1\": {" + kIteration + "},\n\"1\": {}}") ==
        "pp_rank_0.json:2:1: error: iteration 1 comes after iteration 1; expected ascending "
        "iterations");
  CHECK(rank("{\"1\": 3}") == "pp_rank_0.json:1:7: error: this is no object; expected an object");
  CHECK(rank("{\"1\": [3]}") == "pp_rank_0.json:1:7: error: this is an array; expected an object");
  CHECK(rank("{\"1\": {\"wgrad_start\": []}}") ==
        "pp_rank_0.json:1:8: error: there is no member \"wgrad_start\"; expected total, memory, "
        "fwd_start, fwd_end, bwd_start, bwd_end");
  CHECK(rank("{\"1\": {\"total\": 1, \"total\": 1}}") ==
        "pp_rank_0.json:1:20: error: total is there twice; expected it once");
  CHECK(rank("{\"1\": {\"total\": -1}}") ==
        "pp_rank_0.json:1:17: error: this is no duration; expected milliseconds from 0 to 1e9");
  CHECK(rank("{\"1\": {\"total\": {}}}") ==
        "pp_rank_0.json:1:17: error: this is an object; expected milliseconds from 0 to 1e9");
  CHECK(rank("{\"1\": {\"fwd_end\": 1}}") ==
        "pp_rank_0.json:1:19: error: this is no array; expected an array");
  CHECK(rank("{\"1\": {\"fwd_end\": [1, [2]]}}") ==
        "pp_rank_0.json:1:23: error: this is an array; expected milliseconds from 0 to 1e9");
  CHECK(rank("{\"1\": {\"fwd_end\": [1, null]}}") ==
        "pp_rank_0.json:1:23: error: this is no duration; expected milliseconds from 0 to 1e9");
  CHECK(rank("{\"1\": {\"fwd_end\": [1, 1e300]}}") ==
        "pp_rank_0.json:1:23: error: this is no duration; expected milliseconds from 0 to 1e9");
  CHECK(
      rank("{\"1\": {\"fwd_end\": [1, NaN]}}").starts_with("pp_rank_0.json:1:23: error: this is "));
  CHECK(rank("{\"1\": {\"fwd_end\": [1]}}") ==
        "pp_rank_0.json:1:21: error: fwd_end of iteration 1 has 1 entries; expected 2, as num_mbs "
        "in config.json");
  CHECK(rank("{\"1\": {\"total\": 1}}") ==
        "pp_rank_0.json:1:18: error: iteration 1 has no fwd_start; expected total, memory, "
        "fwd_start, fwd_end, bwd_start, bwd_end");
  const auto spans = [&rank](const std::string& total, const std::string& end) {
    return rank(
        "{\"1\": {\"total\": " + total +
        R"(, "fwd_start": [0, 1], "fwd_end": [1, 2], "bwd_start": [2, 3], "bwd_end": [3, )" + end +
        "]}}");
  };
  CHECK(spans("4", "4") == "");
  CHECK(
      spans("9", "2").ends_with(": error: in iteration 1 the backward of micro-batch 1 ends "
                                "before it starts; expected start <= end <= total"));
  CHECK(spans("4", "4.1")
            .ends_with(": error: in iteration 1 the backward of micro-batch 1 ends "
                       "after the total; expected start <= end <= total"));
}

TEST_CASE("nesting without end is an error and no overflow") {
  CHECK(complaint(kConfig, std::string(1'000'000, '[')) ==
        "pp_rank_0.json:1:1: error: this is an array; expected an object");
  CHECK(complaint("{\"a\": " + std::string(1'000'000, '['), "{}")
            .starts_with("config.json:1:1000007: error: this is no JSON"));
}

TEST_CASE("every rank has its file, and the iterations of rank 0") {
  const ScratchFolder folder;
  folder.write("config.json", R"({"pp_size": 2, "vp_size": 1, "num_mbs": 2})");
  folder.write("pp_rank_0.json", "{\"1\": {" + kIteration + "}}");
  CHECK_THROWS_WITH_AS(read_pp_dump(folder.path()),
                       (folder.path() + "/pp_rank_1.json: error: cannot read " + folder.path() +
                        "/pp_rank_1.json; expected a file for each of the 2 ranks of config.json")
                           .c_str(),
                       Error);
  folder.write("pp_rank_1.json", "{\"2\": {" + kIteration + "}}");
  CHECK_THROWS_WITH_AS(
      read_pp_dump(folder.path()),
      (folder.path() +
       "/pp_rank_1.json:1:1: error: the iterations are not those of rank 0; expected the same on "
       "every rank")
          .c_str(),
      Error);
  folder.write("pp_rank_1.json", "{\"1\": {" + kIteration + "}}");
  CHECK(read_pp_dump(folder.path()).iterations.size() == 1);
  folder.write("pp_rank_2.json", "{}");
  CHECK_THROWS_WITH_AS(
      read_pp_dump(folder.path()),
      (folder.path() + "/pp_rank_2.json: error: there is no such rank; expected 2 ranks, as "
                       "pp_size in config.json")
          .c_str(),
      Error);
}

}  // namespace
}  // namespace steptwin::reports
