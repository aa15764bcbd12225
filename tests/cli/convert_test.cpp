#include <algorithm>
#include <doctest/doctest.h>

#include "tests/cli/run_program.h"

namespace steptwin {
namespace {

const std::vector<std::string> kForms = {"steps", "metastep", "torch", "torch-comms"};

RunResult convert(const std::string& text, const std::string& to,
                  const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"convert", "-", "--to", to};
  arguments.insert(arguments.end(), more.begin(), more.end());
  RunRequest request;
  request.input = text;
  return run_program(arguments, request);
}

// One stage on each of two ranks, a micro-batch, transfers and nothing else.
const std::string kSteps =
    "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n"
    "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";
const std::string kComms = "0F0,0SEND_F0,0RECV_B0,0B0\r\n1RECV_F0,1F0,1B0,1SEND_B0\r\n";

TEST_CASE("convert: what both formats express is converted without a word") {
  for (const std::string& text : {kSteps, kComms}) {
    for (const std::string& to : {std::string("steps"), std::string("torch-comms")}) {
      const RunResult run = convert(text, to);
      CHECK(run.status == 0);
      CHECK(run.output == (to == "steps" ? kSteps : kComms));
      CHECK(run.errors.empty());
    }
    CHECK(convert(convert(text, "metastep").output, "steps").output == kSteps);
  }
}

TEST_CASE("convert: what is lost is said on standard error, with how many") {
  RunResult run = convert(kSteps, "torch");
  CHECK(run.status == 0);
  CHECK(run.output == "0F0,0B0\r\n1F0,1B0\r\n");
  CHECK(run.errors == "-: note: 4 transfer steps left out\n");

  run = convert(
      "rank0: DATA_LOAD(s0,m0) FWD(s0,m0) - BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m0)] "
      "FWD(s0,m1) OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m2)]{FWD_SEND(s0,m2)}\n"
      "rank1: FWD(s1,m0) SWAP_WAIT_LOAD(s1,m0) -\n",
      "torch-comms");
  CHECK(run.status == 0);
  CHECK(run.output ==
        "0F0,0SEND_F0,0RECV_B0,0F1,(0F2;0B0)OVERLAP_F_B,0SEND_F2\r\n"
        "1F0\r\n");
  CHECK(run.errors ==
        "-: note: 2 bubbles left out\n"
        "-: note: 1 DATA step left out\n"
        "-: note: 1 SWAP step left out\n"
        "-: note: 1 batch taken apart\n"
        "-: note: 1 boundary_p2p put behind the overlap\n"
        "-: note: 1 OVERLAP_B_F written as OVERLAP_F_B\n");
}

TEST_CASE("convert: to torch-comms, a schedule without transfers gets PyTorch's") {
  for (const std::string& order :
       {std::string("0F0,,0B0\n,1F0,1B0\n"), std::string("rank1: FWD(s1,m0) BWD(s1,m0)\n"
                                                         "rank0: FWD(s0,m0) BWD(s0,m0)\n")}) {
    const RunResult run = convert(order, "torch-comms");
    CHECK(run.status == 0);
    CHECK(run.output ==
          "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\r\n"
          "1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD,1RESHARD\r\n");
    CHECK(run.errors.ends_with(
        "-: note: there are no transfers in it: sends, receives and FSDP steps placed where "
        "PyTorch places them\n"));
  }
}

TEST_CASE("convert: an order that cannot progress gets no transfers") {
  const RunResult run = convert("0F0,0B0\n1B0,1F0\n", "torch-comms");
  CHECK(run.status == 0);  // 1B0 needs nothing of another rank; a check finds that it is wrong
  const RunResult stuck = convert("0B0,0F0\n1F0,1B0\n", "torch-comms");
  CHECK(stuck.status == 2);
  CHECK(stuck.output.empty());
  CHECK(stuck.errors ==
        "-: error: the compute order cannot progress: rank 0 stops at BWD(s0,m0), which needs "
        "BWD(s1,m0); rank 1 stops at FWD(s1,m0), which needs FWD(s0,m0); expected an order in "
        "which every step's inputs are computed before it\n");
}

TEST_CASE("check: PyTorch's CSV, strict and lenient") {
  const TemporaryFolder folder;
  const std::string file = folder.write("s.csv", "0F0x,0B0\n");
  CHECK(run_program({"check", file}).status == 2);
  const RunResult lenient = run_program({"check", file, "--lenient"});
  CHECK(lenient.status == 0);
  CHECK(lenient.errors == file + ": note: 1 action with something else behind it, passed over\n");
  const RunResult scenario =
      run_program({"check", scenario_path("pipeline_1f1b.toml"), "--lenient"});
  CHECK(scenario.status == 2);
  CHECK(scenario.errors.find("--lenient is about a schedule in PyTorch's CSV") !=
        std::string::npos);
}

TEST_CASE("convert: strict, and lenient with a note of what was forgiven") {
  const std::string text = "0F0junk,0B0\n";
  const RunResult strict = convert(text, "steps");
  CHECK(strict.status == 2);
  CHECK(strict.output.empty());
  CHECK(strict.errors ==
        "-:1:4: error: unexpected \"junk\"; expected \",\" and the next cell, or the end of the "
        "row\n");
  const RunResult lenient = convert(text, "steps", {"--lenient"});
  CHECK(lenient.status == 0);
  CHECK(lenient.output == "rank0: FWD(s0,m0) BWD(s0,m0)\n");
  CHECK(lenient.errors == "-: note: 1 action with something else behind it, passed over\n");
  CHECK(convert("0F0,0BW0\n", "torch").output == "0F0,0B0\r\n");
  CHECK(convert("0F0,0BW0\n", "torch").errors ==
        "-: note: read in the old dialect: B is the input gradient, BW the whole backward\n");
}

TEST_CASE("convert --out: a file that was not there, or --force") {
  const TemporaryFolder folder;
  RunRequest request;
  request.folder = folder.path();
  const std::string input = folder.write("a.steps", kSteps);
  const std::vector<std::string> arguments = {"convert",     "a.steps", "--to",
                                              "torch-comms", "--out",   "b.csv"};
  const RunResult run = run_program(arguments, request);
  CHECK(run.status == 0);
  CHECK(run.output.empty());
  CHECK(run.errors.empty());
  CHECK(text_of_file(folder / "b.csv") == kComms);

  folder.write("b.csv", "mine");
  const RunResult again = run_program(arguments, request);
  CHECK(again.status == 2);
  CHECK(again.errors ==
        "b.csv: error: exists already; expected a new file, or --force to replace "
        "it\n");
  CHECK(text_of_file(folder / "b.csv") == "mine");

  std::vector<std::string> forced = arguments;
  forced.emplace_back("--force");
  CHECK(run_program(forced, request).status == 0);
  CHECK(text_of_file(folder / "b.csv") == kComms);
  CHECK(folder.names() == std::vector<std::string>{"a.steps", "b.csv"});

  forced[5] = ".";
  CHECK(run_program(forced, request).errors ==
        ".: error: is not a file and will not be replaced; expected a file to replace\n");
  forced[5] = "no/such/folder.csv";
  CHECK(run_program(forced, request).status == 2);
}

TEST_CASE("convert --out: bad input leaves no file") {
  const TemporaryFolder folder;
  RunRequest request;
  request.folder = folder.path();
  folder.write("bad.csv", "0F0,0B\n");
  const RunResult run =
      run_program({"convert", "bad.csv", "--to", "steps", "--out", "out.steps"}, request);
  CHECK(run.status == 2);
  CHECK(run.errors ==
        "bad.csv:1:7: error: B without a micro-batch; expected a micro-batch number, as in B0\n");
  CHECK(folder.names() == std::vector<std::string>{"bad.csv"});
}

TEST_CASE("convert: to every form and on to every other") {
  const std::string text = text_of_file(scenario_path("schedules/dualpipe_v.csv"));
  for (const std::string& from : kForms) {
    for (const std::string& to : kForms) {
      CAPTURE(from);
      CAPTURE(to);
      const RunResult first = convert(text, from);
      const RunResult second = convert(first.output, to);
      CHECK(second.status == 0);
      if (from != "torch-comms" || to == "torch-comms") {
        CHECK(second.output == convert(text, to).output);
      }
    }
  }
}

TEST_CASE("schedule: what it prints for PyTorch, check reads, and losses are said") {
  const auto printed = [](const std::string& format) {
    return run_program({"schedule", scenario_path("pipeline_1f1b.toml"), "--format", format});
  };
  const RunResult order = printed("torch");
  CHECK(order.status == 0);
  CHECK(order.output.starts_with("0F0,0F1,0F2,0F3,0B0,0F4,0B1,0F5,0B2,0F6,0B3,0F7,0B4,0B5,"));
  CHECK(order.errors ==
        scenario_path("pipeline_1f1b.toml") + ": note: 96 transfer steps left out\n");
  const RunResult comms = printed("torch-comms");
  CHECK(comms.status == 0);
  CHECK(comms.errors.empty());
  CHECK(comms.output.starts_with("0F0,0SEND_F0,0F1,"));
  RunRequest request;
  request.input = comms.output;
  CHECK(run_program({"check", "-"}, request)
            .output.starts_with("No findings: the schedule is complete and runs to its end.\n"));
  CHECK(convert(comms.output, "steps").output ==
        run_program({"schedule", scenario_path("pipeline_1f1b.toml")}).output);
}

}  // namespace
}  // namespace steptwin
