#include "cli/validation.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>
#include <sstream>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/formats/scenario_toml.h"
#include "model/scenario_schedule.h"
#include "reports/paint.h"
#include "tests/cli/run_program.h"

namespace steptwin::cli {
namespace {

using doctest::Approx;

CaseResult result_of(const std::string& name, TimeNs measured_ns, TimeNs simulated_ns,
                     TimeNs bare_ns) {
  CaseResult result;
  result.name = name;
  result.measured = {5, measured_ns, measured_ns - 1'000'000, measured_ns + 2'000'000, 0};
  result.traced_ns = measured_ns;
  result.bare_ns = bare_ns;
  result.simulated_ns = simulated_ns;
  return result;
}

// Errors of -10 %, +5 % and 0; bubbles off by +2 and -3 points, overlaps by -1 point. Of the pairs
// a-b differs by 4 % and does not count, a-c is simulated the wrong way round, b-c rightly.
std::vector<CaseResult> three() {
  std::vector<CaseResult> results = {
      result_of("a", 100'000'000, 90'000'000, 98'000'000),
      result_of("b", 104'000'000, 109'200'000, 104'000'000),
      result_of("c", 96'000'000 - 1'000'000, 95'000'000, 95'000'000)};
  results[0].measured_bubble = 0.25;
  results[0].simulated_bubble = 0.27;
  results[1].measured_bubble = 0.25;
  results[1].simulated_bubble = 0.22;
  results[2].measured_overlap = 0.5;
  results[2].simulated_overlap = 0.49;
  return results;
}

TEST_CASE("totals: errors, points, pairs and the cost of tracing, by hand") {
  const ValidationTotals totals = totals_of(three());
  CHECK(totals.median_error == Approx(0.05));
  CHECK(totals.worst_error == Approx(0.1));
  CHECK(totals.worst_bubble_points == Approx(3));
  CHECK(totals.worst_overlap_points == Approx(1));
  CHECK(totals.pairs == 2);
  CHECK(totals.pairs_right == 1);
  CHECK(totals.tracing_cost == Approx(0));  // of 2/98, 0 and 0
}

// 5 % is of the shorter: 100 and 105 do not count, 100 and 106 do. A tie in the simulation names
// nobody.
TEST_CASE("totals: a pair counts from over 5 %, and a tie is not right") {
  const auto pairs_of = [](TimeNs measured_ns, TimeNs simulated_ns) {
    const ValidationTotals totals =
        totals_of({result_of("a", 100'000'000, 100'000'000, 100'000'000),
                   result_of("b", measured_ns, simulated_ns, 100'000'000)});
    return std::pair(totals.pairs, totals.pairs_right);
  };
  CHECK(pairs_of(105'000'000, 105'000'000) == std::pair(0, 0));
  CHECK(pairs_of(106'000'000, 101'000'000) == std::pair(1, 1));
  CHECK(pairs_of(106'000'000, 100'000'000) == std::pair(1, 0));
  CHECK(pairs_of(90'000'000, 99'000'000) == std::pair(1, 1));
  CHECK(pairs_of(90'000'000, 101'000'000) == std::pair(1, 0));
}

TEST_CASE("totals: of one setting alone there are no pairs") {
  const ValidationTotals totals = totals_of({three()[0]});
  CHECK(totals.pairs == 0);
  CHECK(totals.median_error == Approx(0.1));
  CHECK(totals.tracing_cost == Approx(2.0 / 98));
}

TEST_CASE("text: a table and the totals") {
  const std::vector<CaseResult> results = three();
  CHECK(validation_text(results, totals_of(results), {}, 80, false) ==
        R"(  case  measured      p5     p95  simulated    error  bubble  overlap
  a       100.00   99.00  102.00      90.00  -10.0 %    +2.0      n/a
  b       104.00  103.00  106.00     109.20   +5.0 %    -3.0      n/a
  c        95.00   94.00   97.00      95.00   +0.0 %     n/a     -1.0
        times in ms; bubble and overlap: simulated minus measured, in points

error of the step time   median 5.0 %, worst 10.0 %
bubble, overlap          worst 3.0 and 1.0 points
which of two is faster   named rightly for 1 of 2 pairs that differ by over 5 %
tracing                  costs 0.0 % of the step (median)
)");
  const std::string alone = validation_text({results[0]}, totals_of({results[0]}), {}, 80, false);
  CHECK(alone.find("which of two") == std::string::npos);
}

TEST_CASE("text: runs that were disturbed are told of, if runs were watched") {
  const std::vector<CaseResult> one = {three()[0]};
  const auto last_lines = [&one](const DisturbedRuns& disturbed) {
    const std::string text = validation_text(one, totals_of(one), disturbed, 80, false);
    const std::size_t begin = text.find("disturbed");
    return begin == std::string::npos ? "" : text.substr(begin);
  };
  CHECK(last_lines({}) == "");
  CHECK(last_lines({20, 2, 0}) == "disturbed by others      2 of 20 runs, which were made anew\n");
  CHECK(last_lines({20, 10, 1}) ==
        "disturbed by others      10 of 20 runs, which were made anew; 1 more, after as\n"
        "                         many as five tries, were kept: the machine is too noisy\n"
        "                         for these\n");
}

TEST_CASE("text: no line exceeds the width, and no name steers the terminal") {
  std::vector<CaseResult> results = three();
  results[0].name = "überlappt, mit Rendezvous und einem sehr langen Namen, der nirgends hinpaßt";
  results[1].name = "bell\a and escape\x1b[2J";
  for (const std::size_t width : {40, 50, 60, 80, 120}) {
    CAPTURE(width);
    const std::string text =
        validation_text(results, totals_of(results), {100, 20, 3}, width, false);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\a') == std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(reports::columns_of(line) <= width);
    }
  }
}

TEST_CASE("JSON: the totals and every setting, durations in microseconds") {
  const std::vector<CaseResult> results = three();
  const std::string text = validation_json(results, totals_of(results), {100, 20, 3});
  rapidjson::Document document;
  document.Parse(text.c_str(), text.size());
  REQUIRE_FALSE(document.HasParseError());
  CHECK(document["worst_error"].GetDouble() == Approx(0.1));
  CHECK(document["pairs"].GetInt() == 2);
  CHECK(document["pairs_right"].GetInt() == 1);
  CHECK(document["runs_watched"].GetInt() == 100);
  CHECK(document["runs_repeated"].GetInt() == 20);
  CHECK(document["runs_disturbed"].GetInt() == 3);
  CHECK(document["cases"][0]["overlap_points"].IsNull());
  REQUIRE(document["cases"].Size() == 3);
  const rapidjson::Value& first = document["cases"][0];
  CHECK(first["name"].GetString() == std::string("a"));
  CHECK(first["steps"].GetUint64() == 5);
  CHECK(first["measured_us"].GetDouble() == 100'000);
  CHECK(first["measured_p5_us"].GetDouble() == 99'000);
  CHECK(first["measured_p95_us"].GetDouble() == 102'000);
  CHECK(first["measured_bare_us"].GetDouble() == 98'000);
  CHECK(first["simulated_us"].GetDouble() == 90'000);
  CHECK(first["error"].GetDouble() == Approx(-0.1));
  CHECK(first["bubble_points"].GetDouble() == Approx(2));
}

TEST_CASE("cases: names, settings, and files beside the cases' own") {
  const std::vector<ValidationCase> cases = read_validation_cases(R"([[case]]
name = "as it is"
set = []
[[case]]
name = "other"
scenario = "moe.toml"
set = ["pipeline.ranks=2", "network.eager_bytes=1MiB"]
)",
                                                                  "a/cases.toml");
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].name == "as it is");
  CHECK(cases[0].sets.empty());
  CHECK(cases[0].scenario.empty());
  CHECK(cases[1].name == "other");
  CHECK(cases[1].sets == std::vector<std::string>{"pipeline.ranks=2", "network.eager_bytes=1MiB"});
  CHECK(cases[1].scenario == "a/moe.toml");
}

std::string error_of(const std::string& text) {
  try {
    (void)read_validation_cases(text, "c.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("cases: what is wrong is told where it is") {
  CHECK(error_of("").find("c.toml:1:1: error: ") == 0);
  CHECK(error_of("case = []\n").find("c.toml:1:8: error: case is ") == 0);
  CHECK(error_of("case = 3\n").find("c.toml:1:8: error: case is 3; expected [[case]] tables") == 0);
  CHECK(error_of("[[case]]\nset = []\n").find("c.toml:1:1: error: ") == 0);
  CHECK(error_of("[[case]]\nname = \"a\"\n").find("c.toml:1:1: error: ") == 0);
  CHECK(error_of("[[case]]\nname = 3\nset = []\n")
            .find("c.toml:2:8: error: case[0].name is 3; expected a string") == 0);
  CHECK(error_of("[[case]]\nname = \"a\"\nset = \"pipeline.ranks=2\"\n")
            .find("c.toml:3:7: error: case[0].set is \"pipeline.ranks=2\"; expected a list of ") ==
        0);
  CHECK(error_of("[[case]]\nname = \"a\"\nset = [\"x=1\", 2]\n")
            .find("c.toml:3:15: error: case[0].set[1] is 2; expected ") == 0);
  CHECK(error_of("[[case]]\nname = \"a\"\nset = []\nscenarios = \"x\"\n")
            .find("c.toml:4:1: error: ") == 0);
  CHECK(error_of("[[case]]\nname = \"a\"\nset = []\nscenario = 3\n")
            .find("c.toml:4:12: error: case[0].scenario is 3; expected the name of a file") == 0);
  CHECK(error_of("[[case]\n").find("c.toml:1:") == 0);
}

// Each setting by itself: a key that would change nothing in one of them is an error there.
TEST_CASE("cases: those of this repository are scenarios that have a schedule") {
  std::size_t settings = 0;
  for (const auto& [name, scenario] :
       {std::pair("timed_cases.toml", "timed.toml"), {"demo_cases.toml", "demo.toml"}}) {
    const std::string file = scenario_path(std::string("validation/") + name);
    for (const ValidationCase& made : read_validation_cases(text_of_file(file), file)) {
      CAPTURE(made.name);
      const std::string path = made.scenario.empty()
                                   ? scenario_path(std::string("validation/") + scenario)
                                   : made.scenario;
      CHECK_NOTHROW((void)make_schedule(read_scenario(text_of_file(path), path, made.sets)));
      ++settings;
    }
  }
  CHECK(settings == 41);
}

}  // namespace
}  // namespace steptwin::cli
