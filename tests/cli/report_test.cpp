#include <doctest/doctest.h>
#include <rapidjson/document.h>
#include <sstream>

#include "reports/paint.h"
#include "tests/cli/run_program.h"

namespace steptwin {
namespace {

RunRequest in_folder(const std::filesystem::path& folder, const std::string& columns = "80") {
  RunRequest request;
  request.folder = folder;
  request.environment = {"COLUMNS=" + columns};
  return request;
}

TEST_CASE("report: a run folder says again what the run said, memory and advice included") {
  for (const std::string scenario : {"pipeline_1f1b.toml", "moe_overlap_no_hooks.toml",
                                     "offload_fsdp.toml", "early_receive.toml"}) {
    CAPTURE(scenario);
    const TemporaryFolder folder;
    const RunRequest request = in_folder(folder.path());
    const RunResult said =
        run_program({"simulate", scenario_path(scenario), "--out", "run"}, request);
    CHECK(said.status == 0);
    const RunResult again = run_program({"report", "run"}, request);
    CHECK(again.status == 0);
    CHECK(again.errors.empty());
    CHECK(again.output + "\nWritten to run\n" == said.output);
    CHECK(run_program({"report", "run", "--json"}, request).output ==
          text_of_file(folder / "run" / "summary.json"));
    CHECK(run_program({"report", "run", "--quiet"}, request).output.empty());
  }
}

TEST_CASE("report: a trace.csv alone has its path for a title") {
  const TemporaryFolder folder;
  const RunRequest request = in_folder(folder.path());
  run_program({"simulate", scenario_path("pipeline_1f1b.toml"), "--out", "run", "--quiet"},
              request);
  const RunResult run = run_program({"report", "run/trace.csv"}, request);
  CHECK(run.status == 0);
  CHECK(run.output.starts_with("run/trace.csv\n\n  step time     34.6 ms "));
}

TEST_CASE("report: a recorded pipeline run") {
  const RunRequest request = in_folder(scenario_path("../tests"));
  const RunResult run = run_program({"report", "data/pp_dump"}, request);
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  CHECK(run.output ==
        R"(data/pp_dump: a recorded pipeline, 2 ranks, 3 micro-batches, iterations 3 to 5
  (2 before them left out)

  step time      126 ms   median, of the slowest rank; 5 to 95 %: 126 ms to 137
                          ms; slowest iteration 5: 137 ms
  bubble         28.6 %   of the step without compute (mean over ranks; median)
    uniform      25.0 %   if all operations of a kind took as long and hops took
                          none

  rank  forward  backward  compute  bubble  reserved GB
  0       10 ms     20 ms    90 ms  28.6 %         40.0
  1       10 ms     20 ms    90 ms  28.6 %         30.5
        medians; reserved: by the allocator, the most
)");
  CHECK(run_program({"report", "data/pp_dump", "--quiet"}, request).output.empty());
  for (const std::size_t width : {40, 50, 59, 60, 100}) {
    CAPTURE(width);
    std::istringstream lines(
        run_program({"report", "data/pp_dump"},
                    in_folder(scenario_path("../tests"), std::to_string(width)))
            .output);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(reports::columns_of(line) <= width);
    }
  }
  rapidjson::Document document;
  document.Parse(run_program({"report", "data/pp_dump", "--json"}, request).output.c_str());
  REQUIRE_FALSE(document.HasParseError());
  CHECK(document["step_time_us"]["p50"].GetDouble() == 126000);
  CHECK(document["warmup"].GetInt() == 2);
  CHECK(document["iterations"].Size() == 3);
  CHECK(document["ranks"][1]["memory_reserved_gb"].GetDouble() == 30.5);
}

TEST_CASE("report: bad input is told where it is, with status 2") {
  const TemporaryFolder folder;
  const RunRequest request = in_folder(folder.path());
  const auto errors_of = [&request](const std::vector<std::string>& arguments) {
    const RunResult run = run_program(arguments, request);
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    return run.errors;
  };
  CHECK(errors_of({"report", "."}) ==
        ".: error: there is no trace.csv in it; expected the folder of a run that ended\n");
  std::filesystem::create_directory(folder / "dump");
  folder.write("dump/config.json", "{\"pp_size\": 1, \"vp_size\": 1, \"num_mbs\": 1}");
  folder.write("dump/pp_rank_0.json", "{\"1\":\n {\"total\": x}}");
  CHECK(errors_of({"report", "dump"}) ==
        "dump/pp_rank_0.json:2:12: error: this is no JSON: Invalid value; expected a JSON text\n");
  run_program({"simulate", scenario_path("offload_fsdp.toml"), "--out", "run", "--quiet"}, request);
  CHECK(errors_of({"report", "run", "--warmup", "1"}) ==
        "error: --warmup is about a recorded pipeline run; expected it with such a folder\n");
  folder.write("run/memory.csv", "rank,at_ns,class,bytes\n9,0,parameters,1\n");
  CHECK(errors_of({"report", "run"})
            .starts_with("run/memory.csv:2:1: error: rank is \"9\"; expected a whole number "));
}

}  // namespace
}  // namespace steptwin
