#include <algorithm>
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include "tests/cli/run_program.h"
#include "tests/property_count.h"

namespace steptwin {
namespace {

const std::string kEscape = "\x1b[";

// Of every scenario the repository has, its path in scenarios/. A program that asks for a share of
// the cases, since it is instrumented, is spared the published models, which differ in size only.
std::vector<std::string> scenarios() {
  std::vector<std::string> names;
  const std::filesystem::path root = scenario_path("");
  const bool is_slow = property_count(100) < 100;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".toml") continue;
    if (entry.path().stem().string().ends_with("_cases")) continue;  // settings, not scenarios
    if (is_slow && entry.path().parent_path().filename() == "published") continue;
    names.push_back(std::filesystem::relative(entry.path(), root).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

RunResult run_on(const std::string& command, const std::string& scenario,
                 const std::vector<std::string>& more = {}, const RunRequest& request = {}) {
  std::vector<std::string> arguments = {command, scenario_path(scenario)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, request);
}

rapidjson::Document document_of(const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.c_str(), text.size());  // more than one document is an error
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

TEST_CASE("simulate prints a summary and nothing on standard error") {
  const RunResult run = run_on("simulate", "pipeline_1f1b.toml");
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  CHECK(run.output.starts_with("1F1B: 1f1b, 4 ranks x 1 chunk, 8 micro-batches\n\n"));
  CHECK(run.output.find("  step time     34.6 ms ") != std::string::npos);
  CHECK(run.output.find(kEscape) == std::string::npos);
  const RunResult one = run_on("simulate", "pipeline_1f1b.toml",
                               {"--set", "pipeline.ranks=1", "--set", "pipeline.micro_batches=1"});
  CHECK(one.output.starts_with("1F1B: 1f1b, 1 rank x 1 chunk, 1 micro-batch\n\n"));
}

TEST_CASE("simulate advises first what helps most: a stream apart for the all-to-alls") {
  const RunResult run = run_on("simulate", "early_receive.toml");
  CHECK(
      run.output.find(
          "\nWhat to try\n  - collectives queue behind transfers: give them a stream of their own\n"
          "    (streams.preset = \"per_group\"); or post receives late ") != std::string::npos);
}

TEST_CASE("simulate does not advise what the scenario has on") {
  const auto advises = [](const std::string& scenario, const std::vector<std::string>& sets,
                          const std::string& what) {
    std::string text = run_on("simulate", scenario, sets).output;
    std::replace(text.begin(), text.end(), '\n', ' ');  // it may be cut anywhere
    const auto doubled = [](char a, char b) { return a == ' ' && b == ' '; };
    text.erase(std::unique(text.begin(), text.end(), doubled), text.end());
    return text.find(what) != std::string::npos;
  };
  CHECK_FALSE(advises("moe_overlap_hooks.toml", {}, "overlap_p2p = true"));
  CHECK_FALSE(advises("moe_overlap_hooks.toml", {}, "overlap.hooks = true"));
  CHECK_FALSE(advises("moe_overlap_hooks.toml", {}, "interleaved chunks"));
  CHECK(advises("moe_overlap_no_hooks.toml", {}, "(overlap.hooks = true)"));
  CHECK(advises("moe_overlap_off.toml", {}, "(pipeline.overlap = \"b_f\")"));
  CHECK(advises("pipeline_1f1b.toml", {}, "a zero-bubble schedule"));
  CHECK_FALSE(advises("pipeline_1f1b.toml", {"--set", "pipeline.schedule=zb_h1"},
                      "a zero-bubble schedule"));
  CHECK(
      advises("pipeline_1f1b.toml", {"--set", "pipeline.overlap_p2p=false"}, "overlap_p2p = true"));
}

TEST_CASE("simulate --timeline draws every rank below the summary") {
  const std::string summary = run_on("simulate", "pipeline_1f1b.toml").output;
  const RunResult run = run_on("simulate", "pipeline_1f1b.toml", {"--timeline"});
  CHECK(run.status == 0);
  CHECK(run.output.starts_with(summary + "\n"));
  CHECK(run.output.size() > summary.size() + 400);
  for (const std::string rank : {"0", "1", "2", "3"}) {
    CHECK(run.output.find(rank, summary.size()) != std::string::npos);
  }
}

// Columns of the longest line; continuation bytes of UTF-8 take none.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::size_t columns = 0;
  for (const char byte : text) {
    if (byte == '\n') columns = 0;
    const bool continues = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    if (byte != '\n' && !continues) longest = std::max(longest, ++columns);
  }
  return longest;
}

TEST_CASE("simulate prints for the width that COLUMNS says, for 100 columns without a terminal") {
  for (const std::string& scenario : scenarios()) {
    CAPTURE(scenario);
    for (const std::size_t width : {40, 66, 80, 140}) {
      CAPTURE(width);
      RunRequest request;
      request.environment = {"COLUMNS=" + std::to_string(width)};
      const std::size_t longest =
          longest_line(run_on("simulate", scenario, {"--timeline"}, request).output);
      CHECK(longest <= width);
      CHECK(longest >= width - 5);
    }
  }
  for (const std::string columns : {"", "x", "-3", "0", "80x", "99999999999"}) {
    CAPTURE(columns);
    RunRequest request;
    if (!columns.empty()) request.environment = {"COLUMNS=" + columns};
    CHECK(longest_line(run_on("simulate", "pipeline_1f1b.toml", {"--timeline"}, request).output) ==
          100);
  }
}

TEST_CASE("simulate --json prints one document and nothing else") {
  for (const std::string& scenario : scenarios()) {
    CAPTURE(scenario);
    const RunResult run = run_on("simulate", scenario, {"--json"});
    CHECK(run.status == 0);
    CHECK(run.errors.empty());
    const rapidjson::Document document = document_of(run.output);
    REQUIRE(document.IsObject());
    CHECK(document["step_time_us"].GetDouble() > 0);
  }
  const rapidjson::Document document =
      document_of(run_on("simulate", "pipeline_1f1b.toml", {"--json"}).output);
  CHECK(document["step_time_us"].GetDouble() == 34600);
  CHECK(document["micro_batches"].GetInt() == 8);
}

TEST_CASE("simulate --json says the same with --quiet and with --color always") {
  const std::string json = run_on("simulate", "pipeline_1f1b.toml", {"--json"}).output;
  CHECK(run_on("simulate", "pipeline_1f1b.toml", {"--json", "--quiet"}).output == json);
  CHECK(run_on("simulate", "pipeline_1f1b.toml", {"--json", "--color", "always"}).output == json);
}

TEST_CASE("--quiet prints nothing") {
  for (const std::string command : {"simulate", "check"}) {
    const RunResult run = run_on(command, "pipeline_1f1b.toml", {"--quiet"});
    CHECK(run.status == 0);
    CHECK(run.output.empty());
    CHECK(run.errors.empty());
  }
}

TEST_CASE("colours: never to a file, always if asked, and NO_COLOR") {
  const std::vector<std::vector<std::string>> commands = {
      {"simulate", "--timeline"}, {"simulate"}, {"schedule", "--format", "grid"}};
  for (const std::vector<std::string>& command : commands) {
    CAPTURE(command.front());
    const auto colours = [&command](const std::string& when, const std::string& variable) {
      std::vector<std::string> more(command.begin() + 1, command.end());
      if (!when.empty()) more.insert(more.end(), {"--color", when});
      RunRequest request;
      if (!variable.empty()) request.environment = {variable};
      const RunResult run = run_on(command.front(), "pipeline_1f1b.toml", more, request);
      CHECK(run.status == 0);
      return run.output.find(kEscape) != std::string::npos;
    };
    CHECK_FALSE(colours("", ""));
    CHECK_FALSE(colours("auto", ""));
    CHECK_FALSE(colours("never", ""));
    CHECK(colours("always", ""));
    CHECK(colours("always", "NO_COLOR=1"));  // what is asked for on the command line wins
    CHECK_FALSE(colours("auto", "NO_COLOR=1"));
  }
}

TEST_CASE("schedule: the compact form, by default and by name") {
  const std::vector<std::string> small = {"--set", "pipeline.ranks=2",  //
                                          "--set", "pipeline.micro_batches=2"};
  const RunResult run = run_on("schedule", "pipeline_1f1b.toml", small);
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  CHECK(run.output ==
        "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) BWD_RECV(s0,m0) FWD_SEND(s0,m1) "
        "BWD(s0,m0) BWD_RECV(s0,m1) BWD(s0,m1)\n"
        "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0) FWD_RECV(s1,m1) "
        "FWD(s1,m1) BWD(s1,m1) BWD_SEND(s1,m1)\n");
  std::vector<std::string> named = small;
  named.insert(named.end(), {"--format", "steps"});
  CHECK(run_on("schedule", "pipeline_1f1b.toml", named).output == run.output);
}

TEST_CASE("schedule: what it prints, check reads, in both text forms") {
  for (const std::string& scenario : scenarios()) {
    CAPTURE(scenario);
    const auto checked = [&scenario](const std::string& format) {
      RunRequest piped;
      piped.input = run_on("schedule", scenario, {"--format", format}).output;
      return run_program({"check", "-"}, piped);
    };
    const RunResult steps = checked("steps");
    CHECK(steps.status == 0);
    CHECK(steps.errors.empty());
    const RunResult metastep = checked("metastep");
    CHECK(metastep.status == 0);
    CHECK(metastep.output == steps.output);
  }
}

TEST_CASE("schedule: the grid in time, and where a schedule hangs by slots") {
  const RunResult run = run_on("schedule", "pipeline_1f1b.toml",
                               {"--format", "grid", "--set", "pipeline.micro_batches=2"});
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  CHECK(run.output.starts_with("rank 0 │F0"));
  CHECK(run.output.find("bubble") != std::string::npos);
  const RunResult hangs = run_on("schedule", "early_receive.toml",
                                 {"--format", "grid", "--set", "pipeline.recv_placement=late"});
  CHECK(hangs.status == 0);
  CHECK(hangs.output.starts_with("slot "));
  CHECK(hangs.errors.ends_with(
      "early_receive.toml: note: it hangs, as steptwin check explains: columns are slots of the "
      "lists, not time\n"));
}

TEST_CASE("schedule: the grid by slots") {
  const RunResult run =
      run_on("schedule", "pipeline_1f1b.toml", {"--format", "grid", "--columns", "slots"});
  CHECK(run.status == 0);
  CHECK(run.output ==
        "slot   0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n"
        "rank0  F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7\n"
        "rank1  F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 B6 B7\n"
        "rank2  F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 B7\n"
        "rank3  F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7\n\n"
        "F forward, B backward\n");
}

TEST_CASE("lower: a Program of as many kernels as the simulation has") {
  const rapidjson::Document program = document_of(run_on("lower", "pipeline_1f1b.toml").output);
  const rapidjson::Document summary =
      document_of(run_on("simulate", "pipeline_1f1b.toml", {"--json"}).output);
  CHECK(program["format"] == "steptwin-program");
  CHECK(program["version"].GetInt() == 1);
  CHECK(program["ranks"].Size() == 4);
  CHECK(program["kernels"].Size() == summary["kernels"].GetUint());
}

TEST_CASE("check: every scenario of the repository is sound") {
  for (const std::string& scenario : scenarios()) {
    CAPTURE(scenario);
    const RunResult run = run_on("check", scenario);
    CHECK(run.status == 0);
    CHECK(run.output.starts_with("No findings: the schedule is complete and runs to its end.\n"));
  }
}

TEST_CASE("twice the same scenario gives the same bytes") {
  const std::vector<std::string> files = scenarios();
  CHECK(files.size() >= 14);
  for (const std::string& scenario : files) {
    CAPTURE(scenario);
    const TemporaryFolder folder;
    for (const std::string name : {"first", "second"}) {
      CHECK(run_on("simulate", scenario, {"--out", (folder / name).string(), "--quiet"}).status ==
            0);
    }
    const std::vector<std::string> names = names_in(folder / "first");
    CHECK(names.size() == 7);
    for (const std::string& name : names) {
      CAPTURE(name);
      CHECK(text_of_file(folder / "first" / name) == text_of_file(folder / "second" / name));
    }
    for (const std::string command : {"lower", "simulate"}) {
      CHECK(run_on(command, scenario).output == run_on(command, scenario).output);
    }
  }
}

}  // namespace
}  // namespace steptwin
