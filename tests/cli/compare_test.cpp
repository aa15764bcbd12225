#include <doctest/doctest.h>
#include <rapidjson/document.h>
#include <sstream>

#include "reports/paint.h"
#include "tests/cli/run_program.h"

namespace steptwin {
namespace {

std::string dump_path() {
  return scenario_path("../tests/data/pp_dump");
}

RunRequest of_width(const std::string& columns, const std::filesystem::path& folder = "/") {
  RunRequest request;
  request.folder = folder;
  request.environment = {"COLUMNS=" + columns};
  return request;
}

// The run folders sim and real of a pipeline of two ranks, whose forwards take 10 % longer in the
// second, and hops twice as long.
void make_runs(const TemporaryFolder& folder) {
  folder.write("s.toml",
               "[pipeline]\nranks = 2\nmicro_batches = 2\nschedule = \"gpipe\"\n"
               "[stage]\nforward_us = 1000\nbackward_input_us = 1000\nbackward_weight_us = 1000\n"
               "[network]\np2p_latency_us = 100\n[streams]\npreset = \"unqueued\"\n");
  RunRequest request;
  request.folder = folder.path();
  CHECK(run_program({"simulate", "s.toml", "--out", "sim", "--quiet"}, request).status == 0);
  CHECK(run_program({"simulate", "s.toml", "--out", "real", "--quiet", "--set",
                     "stage.forward_us=1100", "--set", "network.p2p_latency_us=200"},
                    request)
            .status == 0);
}

// 3 forwards, 3 backwards and 2 hops one after the other: 3 + 6 + .2 for 3.3 + 6 + .4.
TEST_CASE("compare: two run folders, kernel by kernel, and the ladder") {
  const TemporaryFolder folder;
  make_runs(folder);
  const RunResult run = run_program({"compare", "sim", "real"}, of_width("80", folder.path()));
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  CHECK(run.output == R"(sim against real: 16 kernels matched

  step time       -5.2 %   9.2 ms for the 9.7 ms that were measured
  bubble     -1.3 points   34.8 % for 36.1 %; furthest off rank 0: -1.3 points
  overlap    +1.3 points   53.7 % for 52.4 %; furthest off rank 1: +1.4 points
  starts          300 us   too early or late (median; 90 % within 500 us);
                           furthest off rank 0 BWD(s0,m0): 500 us too early
  order                0   of 12 pairs on one stream start the other way round

  durations       count  predicted  measured      sum   median    90 %
  chunk forward       4       4 ms    4.4 ms   -9.1 %   -9.1 %   9.1 %
  chunk backward      4       8 ms      8 ms   0.00 %   0.00 %  0.00 %
  p2p forward         4     400 us    800 us  -50.0 %  -50.0 %  50.0 %
  p2p backward        4     400 us    800 us  -50.0 %  -50.0 %  50.0 %
        without waiting; errors of the sum, of single ones (median), and the
        magnitude that 90 % of them do not exceed

  simulated with               step   error   change              which is
  costs of the scenario      9.2 ms  -5.2 %
  measured means of a part   9.5 ms  -2.1 %  +300 us  costs off on average
  measured kernel by kernel  9.5 ms  -2.1 %        0  variation of kernels
  and measured transfers     9.7 ms  0.00 %  +200 us           the network
  the measurement            9.7 ms  0.00 %        0    host, waits, order
)");
}

TEST_CASE("compare: what traces alone tell, the ladder left out") {
  const TemporaryFolder folder;
  make_runs(folder);
  const RunRequest request = of_width("80", folder.path());
  const RunResult run = run_program({"compare", "sim/trace.csv", "real"}, request);
  CHECK(run.status == 0);
  CHECK(run.output.starts_with("sim/trace.csv against real: 16 kernels matched\n"));
  CHECK(run.output.find("simulated with") == std::string::npos);
  CHECK(run_program({"compare", "sim", "real", "--quiet"}, request).output.empty());
  CHECK(run_program({"compare", "sim", "real", "--color", "always"}, request)
            .output.starts_with("\x1b[1m"));
}

TEST_CASE("compare: traces of different programs are joined by step, folders refused") {
  const TemporaryFolder folder;
  make_runs(folder);
  const RunRequest request = of_width("100", folder.path());
  CHECK(run_program({"simulate", "s.toml", "--out", "other", "--quiet", "--set",
                     "pipeline.micro_batches=3"},
                    request)
            .status == 0);
  const RunResult folders = run_program({"compare", "sim", "other"}, request);
  CHECK(folders.status == 2);
  CHECK(folders.output.empty());
  CHECK(
      folders.errors ==
      "other/trace.csv: error: kernel 4 is compute chunk of rank 0, FWD(s0,m2) and not p2p p2p of "
      "rank 0, BWD_RECV(s0,m0); expected the kernels of sim/scenario.toml; two traces of "
      "different programs are compared by their trace.csv files\n");
  const RunResult traces = run_program({"compare", "sim/trace.csv", "other/trace.csv"}, request);
  CHECK(traces.status == 0);
  CHECK(traces.output.starts_with(
      "sim/trace.csv against other/trace.csv: 8 steps matched, by rank, stage, micro-batch and "));
  CHECK(traces.output.find("unmatched            4   only the measurement has rank 0 FWD(s0,m2); "
                           "rank 0 BWD(s0,m2);") != std::string::npos);
}

TEST_CASE("compare --json: one document, with the ladder where there is one") {
  const TemporaryFolder folder;
  make_runs(folder);
  const auto document_of = [&folder](const std::vector<std::string>& arguments) {
    const RunResult run = run_program(arguments, of_width("80", folder.path()));
    CHECK(run.status == 0);
    rapidjson::Document document;
    document.Parse(run.output.c_str(), run.output.size());
    REQUIRE_FALSE(document.HasParseError());
    return document;
  };
  const rapidjson::Document runs = document_of({"compare", "sim", "real", "--json"});
  CHECK(runs["prediction"].GetString() == std::string("sim"));
  CHECK(runs["step_time"]["predicted_us"].GetDouble() == 9200);
  CHECK(runs["step_time"]["measured_us"].GetDouble() == 9700);
  REQUIRE(runs["ladder"].Size() == 5);
  CHECK(runs["ladder"][1]["rung"].GetString() == std::string("means"));
  CHECK(runs["ladder"][1]["step_time_us"].GetDouble() == 9500);
  CHECK(runs["ladder"][1]["change_us"].GetDouble() == 300);
  CHECK(runs["ladder"][3]["change_us"].GetDouble() == 200);
  CHECK(runs["ladder"][4]["error"].GetDouble() == 0);
  CHECK(runs["ladder"][0]["why_not"].IsNull());
  CHECK(document_of({"compare", "sim/trace.csv", "real", "--json"})["ladder"].IsNull());
  const rapidjson::Document dump = document_of({"compare", dump_path(), "--json"});
  CHECK(dump["fitted_hop_us"].GetDouble() == 1500);
  CHECK(dump["measured_gap_us"].GetDouble() == 500);
  CHECK(dump["median_error"]["dependencies"].GetDouble() == -0.047619);
  CHECK(dump["iterations"].Size() == 3);
  CHECK(dump["slow"][1]["cost_us"].GetDouble() == 9000);
  CHECK(dump["slow"][1]["absorbed_us"].GetDouble() == 3000);
  CHECK(dump["slow"][1]["cost_ratio"].GetDouble() == 0.071429);
}

TEST_CASE("compare: a recorded pipeline run alone is replayed") {
  const RunResult run =
      run_program({"compare", "data/pp_dump"}, of_width("80", scenario_path("../tests")));
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  CHECK(run.output == R"(data/pp_dump: 1F1B as recorded, 2 ranks, 3 micro-batches, iterations 3 to 5
  the first 2 are left out as warm-up (--warmup)

  replayed with its own durations      step   median                  worst
  dependencies alone                 120 ms   -4.8 %   -4.8 % (iteration 3)
  and a hop of 1.5 ms, fitted        126 ms   0.00 %   -1.5 % (iteration 5)
  hops and gaps as measured        125.5 ms  -0.40 %  -0.40 % (iteration 3)
  the measurement                    126 ms

Where the rest is
  - 500 us pass between two operations of a rank of which the second waits for
    no other rank (first and last rank, median)
  - a hop takes 1 ms at most, half of what neighbours' clocks leave room for
    between what one sends and the other has (median)
  - so most of the fitted hop may be gaps, for which it stands in

  slow operations                took  usual  absorbed  cost  of the step
  iteration 5 rank 1 forward 1  22 ms  10 ms      3 ms  9 ms       +7.1 %
  iteration 4 rank 0 forward 1  25 ms  10 ms     15 ms     0          0 %
        took half as long again as usual or more; cost is what the step, with
        the fitted hop, would be shorter with it as usual, the rest slack has
        absorbed
)");
  CHECK(run_program({"compare", dump_path(), "--quiet"}).output.empty());
  RunRequest wide;  // whatever the length of the path
  wide.environment = {"COLUMNS=300"};
  CHECK(run_program({"compare", dump_path(), "--warmup", "4"}, wide)
            .output.find("iterations 5 to 5\n") != std::string::npos);
}

TEST_CASE("compare: no line exceeds the width") {
  const TemporaryFolder folder;
  make_runs(folder);
  for (const std::size_t width : {40, 51, 60, 71, 72, 90, 140}) {
    CAPTURE(width);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"compare", "sim", "real"}, {"compare", "dump"}}) {
      std::filesystem::copy(dump_path(), folder / "dump",
                            std::filesystem::copy_options::skip_existing);
      std::istringstream lines(
          run_program(arguments, of_width(std::to_string(width), folder.path())).output);
      for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(reports::columns_of(line) <= width);
      }
    }
  }
}

TEST_CASE("compare: bad input is told where it is, with status 2") {
  const TemporaryFolder folder;
  make_runs(folder);
  const auto errors_of = [&folder](const std::vector<std::string>& arguments) {
    const RunResult run = run_program(arguments, of_width("80", folder.path()));
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    return run.errors;
  };
  CHECK(errors_of({"compare", "sim"}) ==
        "sim: error: there is nothing to compare it with; expected a second run folder or "
        "trace.csv, or a recorded pipeline run (config.json and pp_rank_0.json) alone\n");
  CHECK(errors_of({"compare", "sim", "nowhere"}) ==
        "nowhere: error: is not there; expected a run folder or a trace.csv\n");
  CHECK(errors_of({"compare", "/dev/null", "sim"}) ==
        "/dev/null: error: is no file; expected a run folder or a trace.csv\n");
  CHECK(errors_of({"compare", "sim", "."}) ==
        ".: error: there is no trace.csv in it; expected the folder of a run that ended\n");
  CHECK(errors_of({"compare", "sim", dump_path()}) ==
        dump_path() +
            ": error: is a recorded pipeline run, which is replayed by itself; expected two run "
            "folders or trace.csv files, or this folder alone\n");
  CHECK(errors_of({"compare", "sim", "real", "--warmup", "1"}) ==
        "error: --warmup is about a recorded pipeline run; expected it with such a folder alone\n");
  CHECK(errors_of({"compare", dump_path(), "--warmup", "5"}) ==
        dump_path() +
            ": error: has 5 iterations, of which 5 are left out as warm-up; expected fewer "
            "iterations of warm-up\n");
  const std::string trace = text_of_file(folder / "sim" / "trace.csv");
  folder.write("real/trace.csv", trace + "x\n");
  CHECK(errors_of({"compare", "sim", "real"})
            .starts_with("real/trace.csv:18:1: error: the row has 1 fields; expected "));
}

}  // namespace
}  // namespace steptwin
