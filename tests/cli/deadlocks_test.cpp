#include <algorithm>
#include <doctest/doctest.h>
#include <iterator>
#include <rapidjson/document.h>
#include <sstream>

#include "tests/cli/check_words.h"
#include "tests/cli/run_program.h"

// What is said of what hangs, by simulate and by check.
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

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
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
  const std::string whole = run_program(late_receives("simulate"), unwrapped()).output;
  for (const std::string width : {"40", "60", ""}) {
    CAPTURE(width);
    RunRequest request;
    if (!width.empty()) request.environment = {"COLUMNS=" + width};
    const std::string text = run_program(late_receives("simulate"), request).output;
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

const std::string kTable =
    "Does it hang?   with one queue per\n"
    "                rank        pair        direction\n";
const std::string kReasons =
    "boundary n/a: the boundary is that of an OVERLAP_B_F, and there is none\n"
    "multi_stream n/a: multi_stream gives every neighbour a queue\n";

TEST_CASE("check: whether it hangs with other transports and queues") {
  const TemporaryFolder folder;
  const std::string sound = folder.write("sound.steps", kRank0 + kRank1);
  CHECK(run_program({"check", sound}).output ==
        "No findings: the schedule is complete and runs to its end.\n\n" + kTable +
            "  plain         runs *      runs        runs\n"
            "  batch         runs        runs        runs\n"
            "  boundary      n/a         n/a         n/a\n"
            "  multi_stream  n/a         runs        n/a\n"
            "  * as it stands\n\n" +
            kReasons);
  CHECK(run_program({"check", sound, "--quiet"}).output.empty());

  const std::string hangs = folder.write(
      "hangs.steps", "rank0: FWD(s0,m0) BWD_RECV(s0,m0) FWD_SEND(s0,m0) BWD(s0,m0)\n" + kRank1);
  const std::string text = run_program({"check", hangs}, unwrapped()).output;
  CHECK(text.ends_with(
      "\n\n" + kTable +
      "  plain         hangs *     hangs       runs\n"
      "  batch         runs        runs        runs\n"
      "  boundary      n/a         n/a         n/a\n"
      "  multi_stream  n/a         runs        n/a\n"
      "  * as it stands\n\n"
      "plain, one queue per pair: rank 0 stream p2p.0-1 stops at BWD_RECV(s0,m0) from rank 1 and "
      "waits for BWD_SEND(s1,m0) to rank 0, which is queued behind FWD_RECV(s1,m0) from rank 0 on "
      "stream p2p.0-1 of rank 1; rank 1 stream p2p.0-1 stops at FWD_RECV(s1,m0) from rank 0 and "
      "waits for FWD_SEND(s0,m0) to rank 1, which is queued behind BWD_RECV(s0,m0) from rank 1 on "
      "stream p2p.0-1 of rank 0; so none of them can go on. Exchanging BWD_RECV(s0,m0) and "
      "FWD_SEND(s0,m0) on rank 0 (slots 1 and 2) lets it run to its end.\n\n" +
      kReasons));

  rapidjson::Document document;
  document.Parse(run_program({"check", hangs, "--json"}).output.c_str());
  REQUIRE_FALSE(document.HasParseError());
  const auto& cells = document["transports"];
  REQUIRE(cells.Size() == 12);
  CHECK(cells[0]["transport"] == "plain");
  CHECK(cells[0]["queues"] == "per_rank");
  CHECK(cells[0]["own"].GetBool());
  CHECK(cells[0]["result"] == "hangs");
  CHECK(cells[0]["why"].IsNull());
  CHECK(cells[1]["queues"] == "per_pair");
  CHECK_FALSE(cells[1]["own"].GetBool());
  CHECK(std::string(cells[1]["cycle_text"].GetString()).starts_with("rank 0 stream p2p.0-1 stops"));
  CHECK(cells[1]["way_out"] ==
        "Exchanging BWD_RECV(s0,m0) and FWD_SEND(s0,m0) on rank 0 (slots 1 and 2) lets it run to "
        "its end.");
  CHECK(cells[1]["exchange"]["slots"][1].GetInt() == 2);
  CHECK(cells[2]["queues"] == "per_direction");
  CHECK(cells[2]["result"] == "runs");
  CHECK(cells[2]["cycle_text"].IsNull());
  CHECK(cells[2]["way_out"].IsNull());
  CHECK(cells[2]["exchange"].IsNull());
  CHECK(cells[6]["result"] == "n/a");
  CHECK(cells[6]["why"] == "the boundary is that of an OVERLAP_B_F, and there is none");
}

TEST_CASE("check: the schedule of the README that hangs") {
  const RunResult run = run_program({"check", scenario_path("schedules/hangs.steps")});
  CHECK(run.status == 1);
  CHECK(run.output.starts_with("Deadlock: nothing can happen after 4 ms.\n\nrank 0 stream comm "));
  CHECK(
      run.output.find("\nExchanging BWD_RECV(s0,m0) and FWD_SEND(s0,m1) on rank 0 (slots 3 and 4) "
                      "lets it run to its end.\n") != std::string::npos);
  CHECK(run.output.find("\n  plain         hangs *     hangs       runs\n"
                        "  batch         runs        runs        runs\n") != std::string::npos);
}

TEST_CASE("check: a setting that hangs elsewhere is no finding of a scenario that runs") {
  std::vector<std::string> own = late_receives("check");
  own.insert(own.end(), {"--set", "streams.preset=per_edge"});
  const RunResult run = run_program(own);
  CHECK(run.status == 0);
  CHECK(run.output.find("  plain         hangs       hangs       runs *\n") != std::string::npos);
  CHECK(run_program(late_receives("check"))
            .output.find("  plain         hangs *     hangs       runs\n") != std::string::npos);
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

}  // namespace
}  // namespace steptwin
