#include <algorithm>
#include <doctest/doctest.h>
#include <iterator>
#include <rapidjson/document.h>
#include <sstream>

#include "tests/cli/refused.h"
#include "tests/cli/run_program.h"

namespace steptwin {
namespace {

const std::string kCycle =
    "rank 0 stream comm stops at FWD_SEND(s0,m1) to rank 1 and waits for FWD_RECV(s1,m1) from "
    "rank 0, which is queued behind FWD_SEND(s1,m0) to rank 0 on stream comm of rank 1; rank 1 "
    "stream comm stops at FWD_SEND(s1,m0) to rank 0 and waits for FWD_RECV(s2,m0) from rank 1, "
    "which is queued behind FWD_SEND(s0,m1) to rank 1 on stream comm of rank 0; so none of them "
    "can go on.";

const std::string kWayOut =
    "No exchange of two neighbouring steps helps (2 tried). With pipeline.recv_placement = "
    "\"early\" or streams.preset = \"per_edge\" it runs to its end.";

std::vector<std::string> late_receives(const std::string& command) {
  return {command, scenario_path("early_receive.toml"), "--set", "pipeline.recv_placement=late"};
}

// Two ranks that overlap a forward of two layers with a backward of one, where a thread that is
// done does not say so.
std::vector<std::string> unequal_overlap(const std::string& command) {
  return {command, scenario_path("moe_overlap_hooks.toml"),
          "--set", "pipeline.ranks=2",
          "--set", "pipeline.micro_batches=4",
          "--set", "layers.per_stage=[2, 1, 1, 1]",
          "--set", "overlap.depart=false"};
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

RunRequest unwrapped() {
  RunRequest request;
  request.environment = {"COLUMNS=10000"};
  return request;
}

TEST_CASE("a deadlock is a finding: status 1, and the cycle in words") {
  for (const std::string command : {"simulate", "check"}) {
    CAPTURE(command);
    const RunResult run = run_program(late_receives(command), unwrapped());
    CHECK(run.status == 1);
    CHECK(run.errors.empty());
    CHECK(run.output.starts_with("Deadlock: nothing can happen after 4.691 ms.\n\n" + kCycle +
                                 "\n\nIt begins on rank 0 in slot 3, FWD_SEND(s0,m1).\n" + kWayOut +
                                 "\n\nEverything that hangs:\n"));
    CHECK(run.output.find(
              "\n  rank 1 stream comm stops at FWD_SEND(s1,m0) to rank 0, waiting for ") !=
          std::string::npos);
  }
}

TEST_CASE("a deadlock is wrapped to the terminal's width, or to 100 columns") {
  const std::string whole = run_program(late_receives("check"), unwrapped()).output;
  for (const std::string width : {"40", "60", ""}) {
    CAPTURE(width);
    RunRequest request;
    if (!width.empty()) request.environment = {"COLUMNS=" + width};
    const std::string text = run_program(late_receives("check"), request).output;
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    const std::size_t most = width.empty() ? 100 : std::stoul(width);
    CHECK(longest <= most);
    CHECK(longest > most - 15);
    CHECK(words_of(text) == words_of(whole));
  }
}

TEST_CASE("a deadlock as JSON, and quietly") {
  const RunResult json = run_program(with(late_receives("simulate"), {"--json"}));
  CHECK(json.status == 1);
  CHECK(json.errors.empty());
  rapidjson::Document document;
  document.Parse(json.output.c_str());
  REQUIRE_FALSE(document.HasParseError());
  REQUIRE(document.HasMember("deadlock"));
  const auto& deadlock = document["deadlock"];
  CHECK(deadlock["at_us"].GetDouble() == 4691.089);
  CHECK(deadlock["cycle_text"].GetString() == kCycle);
  const auto& way_out = deadlock["way_out"];
  CHECK(way_out["text"].GetString() == kWayOut);
  CHECK(way_out["exchange"].IsNull());
  CHECK(way_out["exchanges_tried"].GetInt() == 2);
  REQUIRE(way_out["settings"].Size() == 2);
  CHECK(way_out["settings"][1] == "streams.preset = \"per_edge\"");
  CHECK(way_out["settings_tried"].GetInt() == 5);
  CHECK_FALSE(way_out["cut_short"].GetBool());
  REQUIRE(deadlock["cycle"].Size() == 2);
  REQUIRE(deadlock["blocked"].Size() == 4);
  const auto& first = deadlock["blocked"][deadlock["cycle"][0].GetUint()];
  CHECK(first["rank"].GetInt() == 0);
  CHECK(first["stream"].GetInt() == 1);
  CHECK(first["kernel"].IsInt());

  const RunResult quiet = run_program(with(late_receives("simulate"), {"--quiet"}));
  CHECK(quiet.status == 1);
  CHECK(quiet.output.empty());
  CHECK(quiet.errors.empty());
}

TEST_CASE("the run folder of a deadlock says what hangs, and has no trace") {
  const TemporaryFolder folder;
  const std::string out = (folder / "run").string();
  const RunResult run = run_program(with(late_receives("simulate"), {"--json", "--out", out}));
  CHECK(run.status == 1);
  CHECK(folder.names() == std::vector<std::string>{"run"});
  CHECK(names_in(out) ==
        std::vector<std::string>{"scenario.toml", "schedule.steps", "summary.json"});
  CHECK(text_of_file(out + "/summary.json") == run.output);
  CHECK(run_program({"check", out + "/scenario.toml"}).status == 1);
  CHECK(run_program({"check", out + "/schedule.steps"}).status == 1);
}

TEST_CASE("an overlap whose shorter side does not depart hangs, and the hook is named") {
  const RunResult run = run_program(unequal_overlap("simulate"), unwrapped());
  CHECK(run.status == 1);
  CHECK(run.output.starts_with("Deadlock: nothing can happen after "));
  CHECK(
      run.output.find(
          "\n\nrank 0 thread main hangs in rendezvous D1 of FWD(s0,m3) as the COMPUTE side, "
          "waiting for thread backward.1 of BWD(s2,m0) to come to the rendezvous, but that thread "
          "has ended after 3 rendezvous and did not depart; this is number 4.\n\nIt begins on "
          "rank 0 in slot 12, OVERLAP_B_F[BWD(s2,m0)|FWD(s0,m3)].\n") != std::string::npos);
  CHECK(run.output.find("With overlap.depart = true it runs to its end.\n") != std::string::npos);
  const RunResult check = run_program(unequal_overlap("check"), unwrapped());
  CHECK(check.status == 1);
  CHECK(check.output.starts_with(
      "rank 0 slot 12 OVERLAP_B_F[BWD(s2,m0)|FWD(s0,m3)]: FWD(s0,m3) has 2 moe layers and "
      "BWD(s2,m0) has 1; it waits at hook D1 for good, since overlap.depart is false\n"
      "1 finding; simulated\n\nDeadlock: nothing can happen after "));
  std::vector<std::string> departs = unequal_overlap("simulate");
  departs.back() = "overlap.depart=true";
  CHECK(run_program(departs).status == 0);
}

TEST_CASE("boundary transfers that hang in one queue: their steps, and settings that help") {
  const RunResult run = run_program(
      {"check", scenario_path("moe_overlap_hooks.toml"), "--set", "pipeline.p2p=boundary", "--set",
       "streams.preset=two", "--set", "pipeline.chunks_per_rank=1"},
      unwrapped());
  CHECK(run.status == 1);
  CHECK(run.output.find("\n\nrank 2 stream comm stops at BWD_RECV(s2,m0) from rank 3 and waits for "
                        "BWD_SEND(s3,m0) to rank 2, which is queued behind FWD_RECV(s3,m2) ") !=
        std::string::npos);
  CHECK(run.output.find(
            "\nNo exchange of two neighbouring steps helps (3 tried). With pipeline.p2p "
            "= \"plain\", pipeline.p2p = \"batch\", streams.preset = \"per_direction\" "
            "or streams.preset = \"per_edge\" it runs to its end.\n") != std::string::npos);
}

struct Found {
  std::string steps;
  std::string findings;  // all that check prints of them
};

// F, B: rank 0 and 1 of a pipeline of two stages and one micro-batch, with their transfers.
const std::string kRank0 = "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n";
const std::string kRank1 = "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";

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
  CHECK(run_program({"check", scenario}).output ==
        "No findings: the schedule is complete and runs to its end.\n");
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

TEST_CASE("check: a schedule that is complete and still hangs") {
  // Both ranks wait for the other's send, which each does only after its receive.
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "s.steps", "rank0: BWD_RECV(s0,m0) FWD(s0,m0) FWD_SEND(s0,m0) BWD(s0,m0)\n" + kRank1);
  const RunResult run = run_program({"check", file}, unwrapped());
  CHECK(run.status == 1);
  CHECK(run.output.starts_with("Deadlock: nothing can happen after "));
  CHECK(run.output.find("rank 0 stream comm stops at BWD_RECV(s0,m0) from rank 1") !=
        std::string::npos);
}

TEST_CASE("check: the exchange that is advised makes the schedule run") {
  const TemporaryFolder folder;
  const std::string before = "rank0: FWD(s0,m0) ";
  const std::string after = " BWD(s0,m0)\n" + kRank1;
  const std::string hangs =
      folder.write("hangs.steps", before + "BWD_RECV(s0,m0) FWD_SEND(s0,m0)" + after);
  const RunResult run = run_program({"check", hangs}, unwrapped());
  CHECK(run.status == 1);
  CHECK(run.output.find("\nExchanging BWD_RECV(s0,m0) and FWD_SEND(s0,m0) on rank 0 (slots 1 and "
                        "2) lets it run to its end.\n\n") != std::string::npos);
  const std::string runs =
      folder.write("runs.steps", before + "FWD_SEND(s0,m0) BWD_RECV(s0,m0)" + after);
  CHECK(run_program({"check", runs}).status == 0);

  rapidjson::Document document;
  document.Parse(run_program({"check", hangs, "--json"}).output.c_str());
  REQUIRE_FALSE(document.HasParseError());
  const auto& exchange = document["deadlock"]["way_out"]["exchange"];
  CHECK(exchange["rank"].GetInt() == 0);
  CHECK(exchange["slots"][0].GetInt() == 1);
  CHECK(exchange["slots"][1].GetInt() == 2);
  CHECK(exchange["steps"][0] == "BWD_RECV(s0,m0)");
  CHECK(exchange["steps"][1] == "FWD_SEND(s0,m0)");
}

TEST_CASE("check: stages that spread unevenly are simulated too, and may hang") {
  // Rank 0 holds stages 0 and 2 and waits for what follows from a send it has yet to do.
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "s.steps",
      "rank0: FWD(s0,m0) FWD_RECV(s2,m0) FWD_SEND(s0,m0) FWD(s2,m0) BWD(s2,m0) BWD_SEND(s2,m0) "
      "BWD_RECV(s0,m0) BWD(s0,m0)\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD_SEND(s1,m0) BWD_RECV(s1,m0) BWD(s1,m0) "
      "BWD_SEND(s1,m0)\n");
  const RunResult run = run_program({"check", file}, unwrapped());
  CHECK(run.status == 1);
  CHECK(run.output.find("rank 0 stream comm stops at FWD_RECV(s2,m0) from rank 1") !=
        std::string::npos);
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
  const rapidjson::Document data = checked("rank0: DATA_LOAD(s0,m0) FWD(s0,m0) BWD(s0,m0)\n", 0);
  CHECK(data["simulated"].GetBool());
}

TEST_CASE("check --json: a deadlock is a finding, with all that hangs") {
  const RunResult run = run_program(with(late_receives("check"), {"--json"}));
  CHECK(run.status == 1);
  rapidjson::Document document;
  document.Parse(run.output.c_str());
  REQUIRE_FALSE(document.HasParseError());
  REQUIRE(document["findings"].Size() == 1);
  CHECK(document["findings"][0]["rank"].GetInt() == 0);
  CHECK(document["findings"][0]["slot"].GetInt() == 3);
  CHECK(document["findings"][0]["step"] == "FWD_SEND(s0,m1)");
  CHECK(document["findings"][0]["text"].GetString() == "deadlock: " + kCycle);
  CHECK(document["simulated"].GetBool());
  CHECK(document["deadlock"]["cycle_text"].GetString() == kCycle);
  CHECK(document["deadlock"]["blocked"].Size() == 4);
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
    CHECK(run.output == found.findings);
    CHECK(run.errors.empty());
    CHECK(run_program({"check", file, "--quiet"}).output.empty());
    RunRequest piped;
    piped.input = found.steps;
    CHECK(run_program({"check", "-"}, piped).output == found.findings);
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
