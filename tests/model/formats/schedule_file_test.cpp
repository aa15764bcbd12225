#include "model/formats/schedule_file.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "model/formats/scenario_toml.h"
#include "model/formats/steps_text.h"
#include "model/scenario_schedule.h"
#include "tests/scratch_folder.h"

namespace steptwin {
namespace {

// Two ranks of one stage, two micro-batches, a line each.
const std::string kSteps =
    "# by hand\n"
    "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) FWD_SEND(s0,m1) BWD_RECV(s0,m0) BWD(s0,m0) "
    "BWD_RECV(s0,m1) BWD(s0,m1)\n"
    "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD_RECV(s1,m1) BWD(s1,m0) BWD_SEND(s1,m0) FWD(s1,m1) "
    "BWD(s1,m1) BWD_SEND(s1,m1)\n";

std::string pipeline_text(const std::string& keys = "ranks = 2\nmicro_batches = 2\n") {
  return "[pipeline]\nschedule_file = \"x.steps\"\n" + keys +
         "[stage]\nforward_us = 1\nbackward_input_us = 1\nbackward_weight_us = 1\n";
}

struct Scratch {
  ScratchFolder folder;
  std::string steps = folder.write("x.steps", kSteps);

  Scenario scenario(const std::string& text = pipeline_text()) const {
    return read_scenario(text, folder / "s.toml");
  }
  // Of the file with one text in the place of another; its name left out.
  std::string refusal(const std::string& was, const std::string& is,
                      const std::string& scenario_text = pipeline_text()) const {
    std::string content = kSteps;
    const std::size_t at = content.find(was);
    REQUIRE(at != std::string::npos);
    content.replace(at, was.size(), is);
    folder.write("x.steps", content);
    try {
      make_schedule(scenario(scenario_text));
    } catch (const Error& error) {
      const std::string text = error.what();
      REQUIRE(text.starts_with(steps));
      return text.substr(steps.size());
    }
    return "";
  }
};

TEST_CASE("a schedule is taken from the file as it stands there") {
  const Scratch scratch;
  const Schedule schedule = make_schedule(scratch.scenario());
  CHECK(steps_text(schedule) == kSteps.substr(kSteps.find('\n') + 1));
  CHECK(schedule.stages == loop_map(2, 1));
  CHECK(schedule.micro_batches == 2);
  const ScheduleFile file = read_schedule_file(scratch.scenario());
  CHECK(file.path == scratch.steps);
  CHECK(file.text == kSteps);
  CHECK(file.position_of(1, 3).line == 3);
  CHECK(file.position_of(1, 3).column == 51);
  CHECK(file.position_of(0, -1).line == 2);
  CHECK(file.position_of(0, -1).column == 1);
}

TEST_CASE("the long form is read as well") {
  const Scratch scratch;
  const Schedule schedule = make_schedule(scratch.scenario());
  scratch.folder.write("x.steps",
                       "{0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0),\n"
                       "     MetaStep(type=MetaStepType.BWD, micro_index=0, stage_index=0)]}\n");
  const std::string one = pipeline_text("ranks = 1\nmicro_batches = 1\n");
  CHECK(steps_text(make_schedule(scratch.scenario(one))) == "rank0: FWD(s0,m0) BWD(s0,m0)\n");
}

TEST_CASE("PyTorch's CSV is read as well, and its places are told") {
  const Scratch scratch;
  scratch.folder.write("x.steps", "0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n");
  const Schedule schedule = make_schedule(scratch.scenario());
  CHECK(steps_text(schedule.ranks[0]) ==
        "FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) FWD_SEND(s0,m1) - BWD_RECV(s0,m0) BWD(s0,m0) - "
        "BWD_RECV(s0,m1) BWD(s0,m1)");
  scratch.folder.write("x.steps", "0F0,0F1,0B0,0B1\n,1F0,1F1,1B0\n");
  CHECK_THROWS_WITH_AS(
      make_schedule(scratch.scenario()),
      (scratch.steps + ":2:1: error: rank 1: BWD(s1,m1) is missing; expected a complete schedule; "
                       "steptwin check lists all that is wrong")
          .c_str(),
      Error);
}

TEST_CASE("a file in PyTorch's old dialect is left to convert, which says so") {
  const Scratch scratch;
  scratch.folder.write("x.steps", "0F0,0F1,0BW0,0BW1\n,1F0,1BW0,1F1,1BW1\n");
  CHECK_THROWS_WITH_AS(
      make_schedule(scratch.scenario()),
      (scratch.steps + ":1:1: error: this file could only be read in the old dialect: B is the "
                       "input gradient, BW the whole backward; expected a file that leaves "
                       "nothing open, such as steptwin convert makes of it")
          .c_str(),
      Error);
}

TEST_CASE("an order of computing alone gets its transfers") {
  const Scratch scratch;
  scratch.folder.write("x.steps",
                       "rank0: FWD(s0,m0) - FWD(s0,m1) BWD(s0,m0) BWD(s0,m1)\n"
                       "rank1: FWD(s1,m0) BWD(s1,m0) FWD(s1,m1) BWD(s1,m1)\n");
  CHECK(steps_text(make_schedule(scratch.scenario()).ranks[1]) ==
        "- FWD_RECV(s1,m0) FWD(s1,m0) FWD_RECV(s1,m1) BWD(s1,m0) BWD_SEND(s1,m0) FWD(s1,m1) "
        "BWD(s1,m1) BWD_SEND(s1,m1)");
  scratch.folder.write("x.steps",
                       "rank0: FWD(s0,m0) BWD(s0,m0) FWD(s0,m1) BWD(s0,m1)\n"
                       "rank1: FWD(s1,m1) BWD(s1,m1) FWD(s1,m0) BWD(s1,m0)\n");
  CHECK_THROWS_WITH_AS(
      make_schedule(scratch.scenario()),
      (scratch.steps + ": error: the compute order cannot progress: rank 0 stops at BWD(s0,m0), "
                       "which needs BWD(s1,m0); rank 1 stops at FWD(s1,m1), which needs "
                       "FWD(s0,m1); expected an order in which every step's inputs are computed "
                       "before it")
          .c_str(),
      Error);
}

TEST_CASE("steps of memory and data among computing alone: run where nothing is to be sent") {
  const Scratch scratch;
  const std::string one_rank =
      "rank0: FSDP_UNSHARD(s0) FWD(s0,m0) BWD(s0,m0) FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)\n";
  scratch.folder.write("x.steps", one_rank);
  const Scenario scenario = scratch.scenario(pipeline_text("ranks = 1\nmicro_batches = 1\n"));
  CHECK(steps_text(make_schedule(scenario)) == one_rank);
  scratch.folder.write("x.steps",
                       "rank0: FWD(s0,m0) BWD(s0,m0)\n"
                       "rank1: FSDP_UNSHARD(s1) FWD(s1,m0) BWD(s1,m0) FSDP_REDUCE_GRAD(s1) "
                       "FSDP_RESHARD(s1)\n");
  CHECK_THROWS_WITH_AS(
      make_schedule(scratch.scenario(pipeline_text("ranks = 2\nmicro_batches = 1\n"))),
      (scratch.steps +
       ":2:8: error: FSDP_UNSHARD in an order that has no transfers, and needs them; expected "
       "computing alone, or the transfers too, as steptwin convert --to torch-comms places them, "
       "and FSDP steps")
          .c_str(),
      Error);
}

TEST_CASE("a schedule that is sharded or offloaded is not sharded or offloaded again") {
  const Scratch scratch;
  scratch.folder.write("x.steps",
                       "rank0: FSDP_UNSHARD(s0) FWD(s0,m0) SWAP_LAUNCH_OFFLOAD(s0,m0) "
                       "SWAP_WAIT_OFFLOAD(s0,m0) SWAP_LAUNCH_LOAD(s0,m0) SWAP_WAIT_LOAD(s0,m0) "
                       "BWD(s0,m0) FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)\n");
  const auto refused = [&scratch](const std::string& keys) -> std::string {
    try {
      make_schedule(scratch.scenario(pipeline_text("ranks = 1\nmicro_batches = 1\n") +
                                     "[parallel]\n" + keys));
    } catch (const Error& error) {
      return error.wrong();
    }
    return "";
  };
  CHECK(refused("expert = 2\nfsdp = true") ==
        "parallel.fsdp is true, and the schedule has FSDP steps already");
  CHECK(refused("offload = true") ==
        "parallel.offload is true, and the schedule has SWAP steps already");
  CHECK(refused("") == "");
}

TEST_CASE("receives are placed late in a file's schedule too") {
  const Scratch scratch;
  Scenario scenario = scratch.scenario();
  scenario.pipeline.recv_placement = RecvPlacement::late;
  CHECK(steps_text(make_schedule(scenario).ranks[1]).find("FWD_RECV(s1,m1) FWD(s1,m1)") !=
        std::string::npos);
}

TEST_CASE("ranks, stages and micro-batches agree with the scenario") {
  const Scratch scratch;
  const std::string same = "# by hand";
  CHECK(scratch.refusal(same, same, pipeline_text("ranks = 1\nmicro_batches = 2\n")) ==
        ":3:1: error: the file has 2 ranks; expected 1, as pipeline.ranks says");
  CHECK(scratch.refusal(same, same, pipeline_text("ranks = 3\nmicro_batches = 2\n")) ==
        ":2:1: error: the file has 2 ranks; expected 3, as pipeline.ranks says");
  CHECK(scratch.refusal(same, same,
                        pipeline_text("ranks = 2\nchunks_per_rank = 2\nmicro_batches = 2\n")) ==
        ":2:1: error: the file has 2 stages; expected 4, as pipeline.ranks times chunks_per_rank "
        "says");
  CHECK(scratch.refusal(same, same, pipeline_text("ranks = 2\nmicro_batches = 1\n")) ==
        ":2:35: error: the file has 2 micro-batches; expected 1, as pipeline.micro_batches says");
  CHECK(scratch.refusal(same, same, pipeline_text("ranks = 2\nmicro_batches = 8\n")) ==
        ":2:1: error: the file has 2 micro-batches; expected 8, as pipeline.micro_batches says");
}

TEST_CASE("the stage map is the file's, or agrees with the scenario's") {
  const Scratch scratch;
  const std::string same = "# by hand";
  const std::string keys = "ranks = 2\nmicro_batches = 2\nstage_map = ";
  CHECK(scratch.refusal(same, same, pipeline_text(keys + "\"auto\"\n")) == "");
  CHECK(scratch.refusal(same, same, pipeline_text(keys + "\"loop\"\n")) == "");
  CHECK(scratch.refusal(same, same, pipeline_text(keys + "\"v\"\n")) == "");
  CHECK(scratch.refusal(same, same, pipeline_text(keys + "[0, 1]\n")) == "");
  CHECK(scratch.refusal(same, same, pipeline_text(keys + "[1, 0]\n")) ==
        ":2:8: error: stage 0 is computed on rank 0; expected it on rank 1, as pipeline.stage_map "
        "says");
}

TEST_CASE("mistakes are told at their place in the file") {
  const Scratch scratch;
  CHECK(scratch.refusal("FWD(s1,m1)", "FWDD(s1,m1)")
            .starts_with(":3:78: error: there is no step type \"FWDD\""));
  CHECK(scratch.refusal("# by hand", "by hand")
            .starts_with(":1:1: error: the format is not known: it begins with \"by\""));
  CHECK(scratch.refusal(" FWD(s1,m1) BWD(s1,m1)", " BWD(s1,m1) FWD(s1,m1)") ==
        ":3:78: error: rank 1 slot 5 BWD(s1,m1): runs before FWD(s1,m1); expected a complete "
        "schedule; steptwin check lists all that is wrong");
  CHECK(scratch.refusal(" BWD_SEND(s1,m1)", "")
            .starts_with(":3:1: error: rank 1: BWD_SEND(s1,m1) is missing; expected a complete"));
}

TEST_CASE("a file that cannot be read is told where the scenario names it") {
  const Scratch scratch;
  const Scenario scenario = scratch.scenario();
  std::filesystem::remove(scratch.steps);
  CHECK_THROWS_WITH_AS(make_schedule(scenario),
                       ((scratch.folder / "s.toml") + ":2:17: error: cannot read " + scratch.steps +
                        "; expected a file with a schedule")
                           .c_str(),
                       Error);
}

}  // namespace
}  // namespace steptwin
