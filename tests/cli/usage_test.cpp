#include <doctest/doctest.h>

#include "tests/cli/run_program.h"

namespace steptwin {
namespace {

const std::vector<std::string> kCommands = {"simulate", "schedule", "lower", "check",
                                            "convert",  "compare",  "report"};

TEST_CASE("--help of the program and of every command goes to standard output, with an example") {
  for (const std::string flag : {"--help", "-h"}) {
    const RunResult whole = run_program({flag});
    CHECK(whole.status == 0);
    CHECK(whole.errors.empty());
    CHECK(whole.output.find("\nExample:\n  steptwin simulate scenarios/") != std::string::npos);
    for (const std::string& command : kCommands) {
      CAPTURE(command);
      CHECK(whole.output.find("\n  " + command + " ") != std::string::npos);
      const RunResult one = run_program({command, flag});
      CHECK(one.status == 0);
      CHECK(one.errors.empty());
      CHECK(one.output.find("\nExample:\n  steptwin " + command + " ") != std::string::npos);
    }
  }
}

TEST_CASE("the example of every command's help runs") {
  const TemporaryFolder folder;
  for (const std::string& command : kCommands) {
    CAPTURE(command);
    const std::string help = run_program({command, "--help"}).output;
    const std::string begin = "\nExample:\n  steptwin ";
    std::istringstream example(help.substr(help.find(begin) + begin.size()));
    std::vector<std::string> words;
    for (std::string word; example >> word;) {
      words.push_back(word == "runs/moe" ? (folder / "moe").string() : word);
    }
    RunRequest request;
    request.folder = scenario_path("..");
    const RunResult run = run_program(words, request);
    CHECK(run.status == 0);
    CHECK(run.errors.empty());
    CHECK_FALSE(run.output.empty());
  }
}

TEST_CASE("--version is one line, of the program as of every command") {
  const RunResult whole = run_program({"--version"});
  CHECK(whole.status == 0);
  CHECK(whole.output.starts_with("steptwin "));
  CHECK(whole.output.find('\n') == whole.output.size() - 1);
  for (const std::string& command : kCommands) {
    CHECK(run_program({command, "--version"}).output == whole.output);
  }
}

struct UsageCase {
  std::vector<std::string> arguments;
  std::string errors;  // without its newline
};

TEST_CASE("a wrong command line is told so in one line, with status 2 and nothing printed") {
  const std::string file = scenario_path("pipeline_1f1b.toml");
  const std::string no_option = "error: simulate has no option ";
  const std::string too_many = " is one argument too many";
  const std::string commands =
      "expected one of simulate, run, validate, calibrate, schedule, lower, check, convert, "
      "compare, report";
  const std::string see = "; see steptwin simulate --help";
  const std::vector<UsageCase> cases = {
      {{}, "error: no command; " + commands},
      {{"dance"}, "error: there is no command \"dance\"; " + commands},
      {{""}, "error: there is no command \"\"; " + commands},
      {{"simulat"},
       "error: there is no command \"simulat\"; " + commands + "; did you mean simulate?"},
      {{"\x1b[31m"}, "error: there is no command \"\\x1b[31m\"; " + commands},
      {{file}, "error: there is no command \"" + file.substr(0, 32) + "\"...; " + commands},
      {{"--quick"}, "error: there is no option \"--quick\"; " + commands},
      {{"simulate"}, "error: input is required" + see},
      {{"schedule"}, "error: input is required; see steptwin schedule --help"},
      {{"lower"}, "error: input is required; see steptwin lower --help"},
      {{"check"}, "error: input is required; see steptwin check --help"},
      {{"compare"}, "error: A is required; see steptwin compare --help"},
      {{"report"}, "error: path is required; see steptwin report --help"},
      {{"compare", "a", "b", "c"}, "error: \"c\"" + too_many + "; see steptwin compare --help"},
      {{"compare", "a", "--warmup", "-1"},
       "error: --warmup: Value -1 not in range 0 to 1000000000; see steptwin compare --help"},
      {{"convert", "a"}, "error: --to is required; see steptwin convert --help"},
      {{"convert", "a", "--to", "grid"},
       "error: --to: grid not in {steps,metastep,torch,torch-comms}; see steptwin convert --help"},
      {{"convert", "a", "--to", "steps", "--out", ""},
       "error: --out: a file has a name; see steptwin convert --help"},
      {{"simulate", file, "--quick"}, no_option + "\"--quick\"" + see},
      {{"simulate", file, "-x"}, no_option + "\"-x\"" + see},
      {{"simulate", file, "lower"}, "error: \"lower\"" + too_many + see},
      {{"simulate", file, "lower", file}, "error: \"lower\"" + too_many + see},
      {{"simulate", file, "another.toml"}, "error: \"another.toml\"" + too_many + see},
      {{"lower", file, "--out", "x"},
       "error: lower has no option \"--out\"; see steptwin lower --help"},
      {{"lower", file, "--json"},
       "error: lower has no option \"--json\"; see steptwin lower --help"},
      {{"check", file, "--force"},
       "error: check has no option \"--force\"; see steptwin check --help"},
      {{"simulate", file, "--color"},
       "error: --color: 1 required WHEN:{auto,always,never} missing" + see},
      {{"simulate", file, "--color", "pink"},
       "error: --color: pink not in {auto,always,never}" + see},
      {{"schedule", file, "--format", "table"},
       "error: --format: table not in {steps,metastep,torch,torch-comms,grid}; see steptwin "
       "schedule --help"},
      {{"schedule", file, "--columns", "slots"},
       "error: --columns: only a grid has columns, --format grid; see steptwin schedule --help"},
      {{"schedule", file, "--columns", "time", "--format", "torch"},
       "error: --columns: only a grid has columns, --format grid; see steptwin schedule --help"},
      {{"simulate", file, "--set"}, "error: --set: 1 required KEY=VALUE missing" + see},
      {{"simulate", file, "--out"}, "error: --out: 1 required DIR missing" + see},
      {{"simulate", file, "--out", ""}, "error: --out: a folder has a name" + see},
      {{"simulate", file, "--force"}, "error: --force requires --out" + see},
      {{"simulate", file, "--json", "--timeline"}, "error: --json excludes --timeline" + see},
      {{"simulate", file, "--out", "/tmp/a", "--out", "/tmp/b"},
       "error: --out: At Most 1 required but received 2" + see},
      {{"simulate", file, "--json=perhaps"}, "error: Could not convert: --json = perhaps" + see},
  };
  for (const UsageCase& usage : cases) {
    CAPTURE(usage.errors);
    const RunResult run = run_program(usage.arguments);
    CHECK(run.errors == usage.errors + "\n");
    CHECK(run.status == 2);
    CHECK(run.output.empty());
  }
}

TEST_CASE("where standard error cannot be written the status still tells") {
  RunRequest request;
  request.errors_to = "/dev/full";
  CHECK(run_program({"dance"}, request).status == 2);
  CHECK(run_program({"simulate", "/no such file"}, request).status == 2);
}

}  // namespace
}  // namespace steptwin
