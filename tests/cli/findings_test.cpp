#include <algorithm>
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include "tests/cli/check_words.h"
#include "tests/cli/refused.h"
#include "tests/cli/run_program.h"

namespace steptwin {
namespace {

struct Found {
  std::string steps;
  std::string findings;  // all that check prints of them
};

TEST_CASE("check: schedules that are incomplete, out of order or do not match") {
  const std::vector<Found> cases = {
      {"rank0: FWD(s0,m0)\n", "rank 0: BWD(s0,m0) is missing\n"},
      {"rank0: FWD(s0,m1) BWD(s0,m1)\n",
       "rank 0: FWD(s0,m0) is missing\nrank 0: BWD(s0,m0) is missing\n"},
      {"rank0: FWD(s0,m0) BWD_INPUT(s0,m0)\n", "rank 0: BWD_WEIGHT(s0,m0) is missing\n"},
      {"rank0: FWD(s0,m0) BWD_WEIGHT(s0,m0) BWD_INPUT(s0,m0)\n",
       "rank 0 slot 1 BWD_WEIGHT(s0,m0): runs before BWD_INPUT(s0,m0)\n"},
      {"rank0: BWD(s0,m0) - FWD(s0,m0)\n", "rank 0 slot 0 BWD(s0,m0): runs before FWD(s0,m0)\n"},
      {"rank0: FWD(s0,m0) BWD(s0,m0) FWD(s0,m0)\n",
       "rank 0 slot 2 FWD(s0,m0): is done in slot 0 already\n"},
      {"rank0: FWD(s0,m0) BWD(s0,m7) BWD(s0,m0)\n",
       "rank 0 slot 1 BWD(s0,m7): there are micro-batches 0 to 0 only\n"},
      {"rank0: FWD(s0,m0) BWD(s0,m0) FWD_SEND(s0,m0)\n",
       "rank 0 slot 2 FWD_SEND(s0,m0): there is no stage 1\n"},
      {"rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD(s1,m0) BWD(s1,m0) BWD(s0,m0)\n",
       "rank 0 slot 1 FWD_SEND(s0,m0): stage 1 is on the same rank\n"},
      {"rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD(s0,m0)\n" + kRank1,
       "rank 0: BWD_RECV(s0,m0) is missing\n"
       "rank 0 slot 2 BWD(s0,m0): runs before BWD_RECV(s0,m0) is posted\n"},
      {"rank0: FWD_SEND(s0,m0) FWD(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n" + kRank1,
       "rank 0 slot 0 FWD_SEND(s0,m0): sends what is not computed yet\n"},
      {kRank0 + "rank1: FWD(s1,m0) FWD_RECV(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n",
       "rank 1 slot 0 FWD(s1,m0): runs before FWD_RECV(s1,m0) is posted\n"},
      {kRank0 + "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0)\n",
       "rank 1: BWD_SEND(s1,m0) is missing\n"},
      {"rank0: FWD(s0,m0) FWD(s0,m1) FWD_SEND(s0,m1) FWD_SEND(s0,m0) BWD_RECV(s0,m0) "
       "BWD_RECV(s0,m1) BWD(s0,m0) BWD(s0,m1)\n"
       "rank1: FWD_RECV(s1,m0) FWD_RECV(s1,m1) FWD(s1,m0) FWD(s1,m1) BWD(s1,m0) BWD_SEND(s1,m0) "
       "BWD(s1,m1) BWD_SEND(s1,m1)\n",
       "rank 1 slot 0 FWD_RECV(s1,m0): is receive 0 from rank 0, whose send 0 is FWD_SEND(s0,m1) "
       "in slot 2\n"},
      // Steps on the wrong rank, and raw inputs that nobody sends or receives.
      {kRank0 + "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0) BWD_SEND(s0,m0)\n",
       "rank 1 slot 4 BWD_SEND(s0,m0): stage 0 is held by rank 0\n"},
      {kRank0 + "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0) BWD(s0,m0)\n",
       "rank 1 slot 4 BWD(s0,m0): stage 0 is held by rank 0\n"},
      {"rank0: FWD(s0,m0) DATA_SEND(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n" + kRank1,
       "rank 0 slot 1 DATA_SEND(s0,m0): there is no DATA_RECV(s1,m0)\n"},
      {kRank0 + "rank1: DATA_RECV(s1,m0) FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n",
       "rank 1 slot 0 DATA_RECV(s1,m0): there is no DATA_SEND(s0,m0)\n"},
  };
  const TemporaryFolder folder;
  for (const Found& found : cases) {
    CAPTURE(found.steps);
    const std::string file = folder.write("s.steps", found.steps);
    const RunResult quiet = run_program({"check", file, "--quiet"});
    CHECK(quiet.status == 1);
    CHECK(quiet.errors.empty());
    CHECK(quiet.output == found.findings);
    const auto lines = std::count(found.findings.begin(), found.findings.end(), '\n');
    const RunResult run = run_program({"check", file});
    CHECK(run.status == 1);
    CHECK(run.output == found.findings + std::to_string(lines) +
                            (lines == 1 ? " finding" : " findings") + "; not simulated\n");
  }
}

TEST_CASE("a scenario's schedule file: findings for check, an error at their place elsewhere") {
  const TemporaryFolder folder;
  const std::string scenario =
      folder.write("s.toml",
                   "[pipeline]\nranks = 2\nmicro_batches = 1\nschedule_file = \"x.steps\"\n"
                   "[stage]\nforward_us = 10\nbackward_input_us = 10\nbackward_weight_us = 10\n");
  const std::string file = folder.write("x.steps", kRank0 + kRank1);
  CHECK(run_program({"check", scenario})
            .output.starts_with(
                "No findings: the schedule is complete and runs to its end.\n\nDoes it hang?"));
  CHECK(run_program({"schedule", scenario}).output == kRank0 + kRank1);

  folder.write("x.steps", kRank0 + "rank1: FWD_RECV(s1,m0) BWD(s1,m0) FWD(s1,m0) BWD_SEND(s1,m0)");
  const RunResult check = run_program({"check", scenario});
  CHECK(check.status == 1);
  CHECK(check.output ==
        "rank 1 slot 1 BWD(s1,m0): runs before FWD(s1,m0)\n1 finding; not simulated\n");
  for (const std::string command : {"simulate", "schedule", "lower"}) {
    const RunResult run = run_program({command, scenario});
    CHECK(run.status == 2);
    CHECK(run.output.empty());
    CHECK(run.errors == file +
                            ":2:24: error: rank 1 slot 1 BWD(s1,m0): runs before FWD(s1,m0); "
                            "expected a complete schedule; steptwin check lists all that is "
                            "wrong\n");
  }
  folder.write("x.steps", kRank0);
  CHECK(run_program({"check", scenario}).errors ==
        file + ":1:1: error: the file has 1 rank; expected 2, as pipeline.ranks says\n");
}

TEST_CASE("check --json lists the findings and nothing else; the exit status is the same") {
  const TemporaryFolder folder;
  const auto checked = [&folder](const std::string& steps, int status,
                                 const std::vector<std::string>& more = {}) {
    const RunResult run =
        run_program(with({"check", folder.write("s.steps", steps), "--json"}, more));
    CHECK(run.status == status);
    CHECK(run.errors.empty());
    rapidjson::Document document;
    document.Parse(run.output.c_str(), run.output.size());
    REQUIRE_FALSE(document.HasParseError());
    return document;
  };
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--quiet"}}) {
    const rapidjson::Document found =
        checked("rank0: BWD(s0,m0) - FWD(s0,m0) BWD(s0,m1)\n", 1, more);
    REQUIRE(found["findings"].Size() == 2);
    const auto& first = found["findings"][0];
    CHECK(first["rank"].GetInt() == 0);
    CHECK(first["slot"].GetInt() == 0);
    CHECK(first["step"] == "BWD(s0,m0)");
    CHECK(first["text"] == "runs before FWD(s0,m0)");
    CHECK(found["findings"][1]["slot"].GetInt() == 3);
    CHECK_FALSE(found["left_out"].GetBool());
    CHECK_FALSE(found["simulated"].GetBool());
    CHECK(found["why_not_simulated"] == "there are findings");
    CHECK(found["deadlock"].IsNull());
  }
  const rapidjson::Document list = checked("rank0: FWD(s0,m0)\n", 1);
  CHECK(list["findings"][0]["rank"].GetInt() == 0);
  CHECK(list["findings"][0]["slot"].IsNull());
  CHECK(list["findings"][0]["step"].IsNull());
  CHECK(list["findings"][0]["text"] == "BWD(s0,m0) is missing");
  CHECK(checked("rank0: FWD(s0,m99999)\n", 1)["left_out"].GetBool());

  const rapidjson::Document sound = checked(kRank0 + kRank1, 0);
  CHECK(sound["findings"].Empty());
  CHECK(sound["simulated"].GetBool());
  CHECK(sound["why_not_simulated"].IsNull());
  CHECK(sound["transports"].Size() == 12);
  const rapidjson::Document data = checked("rank0: DATA_LOAD(s0,m0) FWD(s0,m0) BWD(s0,m0)\n", 0);
  CHECK(data["simulated"].GetBool());
}

// What check says before it tells of other transports and queues.
std::string before_table(const std::string& output) {
  return output.substr(0, output.find("\nDoes it hang?"));
}

TEST_CASE("check: nothing found, and what was not looked at") {
  const std::vector<Found> cases = {
      {kRank0 + kRank1, "No findings: the schedule is complete and runs to its end.\n"},
      {"# a comment\n\n" + kRank1 + kRank0,
       "No findings: the schedule is complete and runs to its end.\n"},
      {"rank0: FWD(s0,m0) BWD(s0,m0)\n",
       "No findings: the schedule is complete and runs to its end.\n"},
      {"rank0: FWD(s0,m0) BWD(s0,m0)\nrank1: FWD(s1,m0) BWD(s1,m0)\n",
       "No findings: the schedule is complete. It has no transfers, so what its ranks wait for "
       "from each\n  other is not checked.\n"},
      // Three stages on two ranks; a rank that holds none.
      {"rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD_RECV(s2,m0) FWD(s2,m0) BWD(s2,m0) BWD_SEND(s2,m0) "
       "BWD_RECV(s0,m0) BWD(s0,m0)\n"
       "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD_SEND(s1,m0) BWD_RECV(s1,m0) BWD(s1,m0) "
       "BWD_SEND(s1,m0)\n",
       "No findings: the schedule is complete and runs to its end.\n"},
      {kRank0 + kRank1 + "rank2: -\n",
       "No findings: the schedule is complete and runs to its end.\n"},
      {"rank0: DATA_LOAD(s0,m0) FWD(s0,m0) BWD(s0,m0)\n",
       "No findings: the schedule is complete and runs to its end.\n"},
      {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0), None, "
       "MetaStep(type=MetaStepType.BWD, micro_index=0, stage_index=0)]\n",
       "No findings: the schedule is complete and runs to its end.\n"},
  };
  const TemporaryFolder folder;
  for (const Found& found : cases) {
    CAPTURE(found.steps);
    const std::string file = folder.write("s.steps", found.steps);
    const RunResult run = run_program({"check", file});
    CHECK(run.status == 0);
    CHECK(before_table(run.output) == found.findings);
    CHECK(run.errors.empty());
    CHECK(run_program({"check", file, "--quiet"}).output.empty());
    RunRequest piped;
    piped.input = found.steps;
    CHECK(run_program({"check", "-"}, piped).output == run.output);
  }
}

TEST_CASE("check: many findings, and more micro-batches than the memory holds") {
  const TemporaryFolder folder;
  const std::string many = folder.write("many.steps", "rank0: FWD(s0,m99999)\n");
  const RunResult run = run_program({"check", many});
  CHECK(run.status == 1);
  CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 1001);
  CHECK(run.output.starts_with("rank 0: FWD(s0,m0) is missing\nrank 0: BWD(s0,m0) is missing\n"));
  CHECK(run.output.ends_with("\n1000 findings or more; not simulated\n"));

  std::string steps;
  for (int rank = 0; rank < 100; ++rank) {
    const std::string number = std::to_string(rank);
    steps += "rank" + number + ": FWD(s" + number + ",m9999999)\n";
  }
  check_steps_refused(steps, "s.steps: error: 100 stages with 10000000 micro-batches would take ");
}

TEST_CASE("check: --set needs a scenario") {
  const TemporaryFolder folder;
  const std::string file = folder.write("s.steps", kRank0 + kRank1);
  const RunResult run = run_program({"check", file, "--set", "pipeline.ranks=3"});
  CHECK(run.status == 2);
  CHECK(run.errors == file +
                          ": error: a schedule has no keys for --set; expected a scenario, "
                          "whose file is named .toml\n");
}

}  // namespace
}  // namespace steptwin
