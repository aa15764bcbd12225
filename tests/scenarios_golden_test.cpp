#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/formats/scenario_toml.h"
#include "reports/metrics.h"
#include "reports/summary_json.h"
#include "tests/golden_torch.h"
#include "tests/scenarios.h"

namespace steptwin {
namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path scenario_folder() {
  return test_data("../../scenarios");
}

std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenario_folder())) {
    const bool is_cases = entry.path().filename().string().ends_with("_cases.toml");
    if (entry.path().extension() == ".toml" && !is_cases) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// expected/moe_overlap_off.json is the summary of moe_overlap_off.toml. STEPTWIN_WRITE_EXPECTED=1
// writes them anew; the difference is then there to be read before it is committed.
TEST_CASE("every scenario gives its expected summary, byte by byte") {
  const std::vector<std::filesystem::path> files = scenario_files();
  CHECK(files.size() >= 19);
  for (const std::filesystem::path& file : files) {
    CAPTURE(file.string());
    const Scenario scenario = read_scenario(file_text(file), file.string());
    const std::string summary = reports::summary_json(reports::compute_metrics(trace_of(scenario)));
    const std::filesystem::path expected =
        scenario_folder() / "expected" / file.filename().replace_extension(".json");
    if (std::getenv("STEPTWIN_WRITE_EXPECTED") != nullptr) {
      std::ofstream(expected, std::ios::binary) << summary;
    }
    CHECK(summary == file_text(expected));
  }
}

TEST_CASE("every scenario begins with a comment that says what to look at") {
  for (const std::filesystem::path& file : scenario_files()) {
    CAPTURE(file.string());
    const std::string text = file_text(file);
    CHECK(text.rfind("#", 0) == 0);
    CHECK(text.find("What to look at") != std::string::npos);
  }
}

TEST_CASE("hooks make the overlap pay, and without them the threads get in each other's way") {
  const auto step_time = [](const std::string& name) {
    const std::filesystem::path file = scenario_folder() / name;
    return makespan_ns(trace_of(read_scenario(file_text(file), file.string())));
  };
  const TimeNs off = step_time("moe_overlap_off.toml");
  const TimeNs with_hooks = step_time("moe_overlap_hooks.toml");
  const TimeNs without_hooks = step_time("moe_overlap_no_hooks.toml");
  CHECK(with_hooks < off);
  CHECK(with_hooks < without_hooks);
}

// With launches of 0.5 ms, 10 ms for an attention of 20, nothing but the host holds the step up.
TEST_CASE("threads that meet at hooks behind a slow host wait for the host, not for each other") {
  const std::filesystem::path file = scenario_folder() / "moe_overlap_hooks.toml";
  const Scenario scenario = read_scenario(file_text(file), file.string(), {"host.launch_us=500"});
  const reports::GapTimes gaps = reports::compute_metrics(trace_of(scenario)).gap_by_cause;
  const auto percent = [&gaps](reports::GapCause cause) {
    return 100 * gaps.of(cause) / gaps.sum_ns();
  };
  CHECK(percent(reports::GapCause::host) == 84);
  CHECK(percent(reports::GapCause::order) == 1);
}

TEST_CASE("DualPipeV: its overlaps with hooks pay, without them they do not") {
  const std::filesystem::path file = scenario_folder() / "dualpipe_v.toml";
  const auto step_time = [&file](const std::vector<std::string>& sets) {
    return makespan_ns(trace_of(read_scenario(file_text(file), file.string(), sets)));
  };
  const TimeNs overlapped = step_time({});
  const TimeNs serial = step_time({"overlap.execution=sequential"});
  CHECK(overlapped < serial);
  CHECK(serial < step_time({"overlap.hooks=false"}));
  CHECK(step_time({"comm.order=data"}) < overlapped);
}

TEST_CASE("V-Half: what each schedule of the scenario's comment holds and takes") {
  struct Expected {
    const char* schedule;
    std::int64_t in_flight;
    TimeNs step_time;
  };
  const std::filesystem::path file = scenario_folder() / "v_half.toml";
  for (const Expected& expected : {Expected{"v_half", 10, 82'900'000},
                                   {"interleaved_1f1b", 23, 84'000'000},
                                   {"zbv", 16, 77'150'000},
                                   {"v_min", 8, 92'800'000},
                                   {"1f1b_v", 12, 93'500'000}}) {
    CAPTURE(expected.schedule);
    const Scenario scenario = read_scenario(
        file_text(file), file.string(), {std::string("pipeline.schedule=") + expected.schedule});
    const reports::Metrics metrics = reports::compute_metrics(trace_of(scenario));
    std::int64_t in_flight = 0;
    for (const reports::RankMetrics& rank : metrics.ranks) {
      in_flight = std::max(in_flight, rank.in_flight_max);
    }
    CHECK(in_flight == expected.in_flight);
    CHECK(metrics.step_time_ns == expected.step_time);
  }
}

TEST_CASE("early receive: a stream of its own for the all-to-alls helps, late receives hang") {
  const std::filesystem::path file = scenario_folder() / "early_receive.toml";
  const auto scenario_with = [&file](const std::vector<std::string>& sets) {
    return read_scenario(file_text(file), file.string(), sets);
  };
  const TimeNs one_stream = makespan_ns(trace_of(scenario_with({})));
  const TimeNs apart = makespan_ns(trace_of(scenario_with({"streams.preset=per_group"})));
  CHECK(one_stream == 228'744'544);
  CHECK(apart == 175'746'534);
  const Scenario late = scenario_with({"pipeline.recv_placement=late"});
  const auto outcome = sim::simulate(lower(make_schedule(late), late));
  REQUIRE(std::holds_alternative<sim::Deadlock>(outcome));
  CHECK(std::get<sim::Deadlock>(outcome).cycle_text ==
        "rank 0 stream comm stops at FWD_SEND(s0,m1) to rank 1 and waits for FWD_RECV(s1,m1) from "
        "rank 0, which is queued behind FWD_SEND(s1,m0) to rank 0 on stream comm of rank 1; rank 1 "
        "stream comm stops at FWD_SEND(s1,m0) to rank 0 and waits for FWD_RECV(s2,m0) from rank 1, "
        "which is queued behind FWD_SEND(s0,m1) to rank 1 on stream comm of rank 0; so none of "
        "them can go on.");
  const TimeNs late_apart = makespan_ns(
      trace_of(scenario_with({"streams.preset=per_edge", "pipeline.recv_placement=late"})));
  CHECK(late_apart == makespan_ns(trace_of(scenario_with({"streams.preset=per_edge"}))));
}

}  // namespace
}  // namespace steptwin
