#include "model/formats/meta_step_text.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "model/error.h"

namespace steptwin {
namespace {

using namespace std::string_literals;

// A text that breaks a rule, where, and what the reader says about it.
struct Mistake {
  std::string text;
  int line;
  int column;
  std::string message;
};

void check_mistakes(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.text);
    const std::string expected =
        fmt::format("f:{}:{}: error: {}", mistake.line, mistake.column, mistake.message);
    CHECK_THROWS_WITH_AS(read_meta_steps(mistake.text, "f"), expected.c_str(), Error);
  }
}

const std::vector<Mistake> kSyntax = {
    {"", 1, 1, "there are no step lists; expected one for each rank, such as rank0: FWD(s0,m0)"},
    {"# nothing\n", 2, 1,
     "there are no step lists; expected one for each rank, such as rank0: FWD(s0,m0)"},
    {"{}", 1, 3, "there are no step lists; expected one for each rank, such as rank0: FWD(s0,m0)"},
    {"rank0 [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0)]", 1, 7,
     "unexpected \"[\"; expected \":\" and the list of the rank"},
    {"rank0: MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0)", 1, 8,
     "unexpected \"MetaStep\"; expected a list of steps, such as [MetaStep(...), None]"},
    {"rank0: [FWD(s0,m0)]", 1, 9,
     "unexpected \"FWD\"; expected MetaStep(...), or None for a bubble"},
    {"rank0: [MetaStep(type=MetaStepType.FWDS, micro_index=0, stage_index=0)]", 1, 36,
     "there is no step type \"FWDS\"; expected a step type, perhaps FWD"},
    {"rank0: [MetaStep(type=MetaStepType.SWAP_SET_GROUP, micro_index=0, stage_index=0)]", 1, 36,
     "there is no step type \"SWAP_SET_GROUP\"; expected a step type, such as FWD or BWD_SEND"},
    {"rank0: [MetaStep(type=FWD, micro_index=0, stage_index=0)]", 1, 23,
     "unexpected \"FWD\"; expected a type, such as MetaStepType.FWD"},
    {"rank0: [MetaStep(type=MetaStepType, micro_index=0, stage_index=0)]", 1, 35,
     "unexpected \",\"; expected a type, such as MetaStepType.FWD"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_idx=0, stage_index=0)]", 1, 41,
     "a step has no field \"micro_idx\"; expected a field, perhaps micro_index"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, colour=0, stage_index=0)]", 1, 41,
     "a step has no field \"colour\"; expected type, micro_index, stage_index, sub_steps or "
     "boundary_p2p"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, micro_index=1, stage_index=0)]", 1, 56,
     "the field micro_index is given twice; expected each field once"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=-1, stage_index=0)]", 1, 53,
     "unexpected \"-\"; expected None or a micro-batch number, 0 to 16777215"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=16777216)]", 1, 68,
     "the number \"16777216\" is too large; expected None or a stage number, 0 to 16777215"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=zero, stage_index=0)]", 1, 53,
     "unexpected \"zero\"; expected None or a micro-batch number, 0 to 16777215"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0 stage_index=0)]", 1, 55,
     "unexpected \"stage_index\"; expected \",\" or \")\""},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index 0, stage_index=0)]", 1, 53,
     "unexpected \"0\"; expected \"=\" and a value"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, stage_index=0)]", 1, 9,
     "FWD without micro_index; expected micro_index and a number"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=None)]", 1, 9,
     "FWD without stage_index; expected stage_index and a number"},
    {"rank0: [MetaStep(micro_index=0, stage_index=0)]", 1, 9,
     "a step without a type; expected type=MetaStepType.FWD or another"},
    {"rank0: [MetaStep()]", 1, 9,
     "a step without a type; expected type=MetaStepType.FWD or another"},
    {"rank0: [MetaStep]", 1, 17, "unexpected \"]\"; expected \"(\" and the fields of the step"},
    {"rank0: [MetaStep(0, MetaStepType.FWD, 0)]", 1, 18,
     "a step has no field \"0\"; expected type, micro_index, stage_index, sub_steps or "
     "boundary_p2p"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0]", 1, 69,
     "unexpected \"]\"; expected \",\" or \")\""},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0)", 1, 70,
     "unexpected end of file; expected \",\" or \"]\""},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0))", 1, 70,
     "unexpected \")\"; expected \",\" or \"]\""},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0)]]", 1, 71,
     "unexpected \"]\"; expected a rank's list, such as rank0: [MetaStep(...), None]"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0) None]", 1, 71,
     "unexpected \"None\"; expected \",\" or \"]\""},
    {"rank0: [,]", 1, 9, "unexpected \",\"; expected MetaStep(...), or None for a bubble"},
    {"rank0: [none]", 1, 9, "unexpected \"none\"; expected MetaStep(...), or None for a bubble"},
    {"rank0: [None],\nrank1: [None]", 1, 14,
     "unexpected \",\"; expected a rank's list, such as rank0: [MetaStep(...), None]"},
    {"{0: [None] 1: [None]}", 1, 12,
     "unexpected \"1\"; expected \",\" and the next rank, or \"}\""},
    {"{0: [None]} 1", 1, 13, "unexpected \"1\"; expected nothing after the dictionary"},
    {"{rank0: [None]}", 1, 2, "unexpected \"rank0\"; expected a rank number, 0 to 16777215"},
    {"{0: [None]\n", 2, 1, "unexpected end of file; expected \",\" and the next rank, or \"}\""},
    {"rank0: [\000]"s, 1, 9, "unexpected \"\\x00\"; expected MetaStep(...), or None for a bubble"},
    {"rank0: [MetaStep(type=MetaStepType.\300WD, micro_index=0, stage_index=0)]", 1, 36,
     "unexpected \"\\xc0\"; expected a type, such as MetaStepType.FWD"},
};

const std::vector<Mistake> kFields = {
    {"rank0: [MetaStep(type=MetaStepType.FSDP_UNSHARD, micro_index=0, stage_index=0)]", 1, 50,
     "FSDP_UNSHARD has no micro_index; expected None"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0, "
     "sub_steps=[MetaStep(type=MetaStepType.BWD, micro_index=0, stage_index=0)])]",
     1, 71, "FWD has no sub_steps; expected None"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0, "
     "boundary_p2p=[MetaStep(type=MetaStepType.BWD, micro_index=0, stage_index=0)])]",
     1, 71, "FWD has no boundary_p2p; expected None"},
    {"rank0: [MetaStep(type=MetaStepType.BATCH_SEND_RECV)]", 1, 9,
     "BATCH_SEND_RECV without sub-steps; expected FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND"},
    {"rank0: [MetaStep(type=MetaStepType.BATCH_SEND_RECV, micro_index=0, sub_steps=[])]", 1, 53,
     "BATCH_SEND_RECV has no micro_index; expected None; its sub-steps have theirs"},
    {"rank0: [MetaStep(type=MetaStepType.BATCH_SEND_RECV, sub_steps=[None])]", 1, 64,
     "unexpected \"None\"; expected MetaStep(...)"},
    {"rank0: [MetaStep(type=MetaStepType.BATCH_SEND_RECV, sub_steps=3)]", 1, 63,
     "unexpected \"3\"; expected a list of steps, or None"},
    {"rank0: [MetaStep(type=MetaStepType.BATCH_SEND_RECV, "
     "sub_steps=[MetaStep(type=MetaStepType.BWD, micro_index=0, stage_index=0)])]",
     1, 64, "BWD in BATCH_SEND_RECV; expected FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND"},
    {"rank0: [MetaStep(type=MetaStepType.BATCH_SEND_RECV, "
     "sub_steps=[MetaStep(type=MetaStepType.BATCH_SEND_RECV)])]",
     1, 64, "BATCH_SEND_RECV inside a composite; expected a step without sub-steps"},
    {"rank0: [MetaStep(type=MetaStepType.BATCH_SEND_RECV, "
     "sub_steps=[MetaStep(sub_steps=[MetaStep(sub_steps=[])])])]",
     1, 84, "a composite inside a composite; expected a step without sub-steps"},
    {"rank0: [MetaStep(type=MetaStepType.OVERLAP_B_F, micro_index=None, stage_index=None, "
     "sub_steps=None)]",
     1, 9, "OVERLAP_B_F with 0 sub-steps; expected BWD or BWD_INPUT, then FWD"},
    {"rank0: [MetaStep(type=MetaStepType.OVERLAP_F_B, sub_steps=(MetaStep(type=MetaStepType.FWD, "
     "micro_index=0, stage_index=0), MetaStep(type=MetaStepType.FWD, micro_index=1, "
     "stage_index=0)))]",
     1, 123, "FWD as the second half of OVERLAP_F_B; expected FWD, then BWD or BWD_INPUT"},
};

// Each step is right, but not together.
const std::vector<Mistake> kWholes = {
    {"{0: [None], 0: [None]}", 1, 13,
     "rank 0 is listed twice, first on line 1; expected each rank once"},
    {"rank0: [None]\nrank2: [None]", 2, 1,
     "rank 2 is listed, but rank 1 is missing; expected ranks 0 to 2, each once"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0)]\nrank1: "
     "[MetaStep(type=MetaStepType.BWD,\n  micro_index=0, stage_index=0)]",
     2, 9,
     "stage 0 is computed on rank 1, but also on rank 0 (line 1); expected each stage on one rank"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=1)]", 1, 9,
     "stage 1 is computed, but stage 0 is not; expected stages 0 to 1, each computed by some rank"},
    {"rank0: [MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=0),\n  "
     "MetaStep(type=MetaStepType.FWD_SEND, micro_index=0, stage_index=1)]\nrank1: "
     "[MetaStep(type=MetaStepType.FWD, micro_index=0, stage_index=1)]",
     2, 3, "FWD_SEND(s1,m0) is on rank 0; expected it on rank 1, which computes stage 1"},
    {"rank0: [None]", 1, 1,
     "no rank has a FWD step; expected at least one, since the FWD steps say how many "
     "micro-batches there are"},
};

const Step kForward = make_step(StepType::fwd, 0, 1);
const Step kSend = make_step(StepType::fwd_send, 0, 1);

TEST_CASE("a step is written as the Python class prints it") {
  CHECK(meta_step_text(kForward) ==
        "MetaStep(type=MetaStepType.FWD, micro_index=1, stage_index=0)");
  CHECK(meta_step_text(make_stage_step(StepType::fsdp_unshard, 2)) ==
        "MetaStep(type=MetaStepType.FSDP_UNSHARD, micro_index=None, stage_index=2)");
  CHECK(meta_step_text(make_batch({kSend})) ==
        "MetaStep(type=MetaStepType.BATCH_SEND_RECV, micro_index=None, stage_index=None, "
        "sub_steps=[MetaStep(type=MetaStepType.FWD_SEND, micro_index=1, stage_index=0)])");
}

TEST_CASE("boundary steps, which Python does not print, follow the sub-steps") {
  const Step overlap =
      make_overlap(StepType::overlap_b_f, make_step(StepType::bwd, 0, 0), kForward, {kSend});
  const std::string text =
      "MetaStep(type=MetaStepType.OVERLAP_B_F, micro_index=None, stage_index=None, "
      "sub_steps=[MetaStep(type=MetaStepType.BWD, micro_index=0, stage_index=0), "
      "MetaStep(type=MetaStepType.FWD, micro_index=1, stage_index=0)], "
      "boundary_p2p=[MetaStep(type=MetaStepType.FWD_SEND, micro_index=1, stage_index=0)])";
  CHECK(meta_step_text(overlap) == text);
  const auto lists = read_meta_step_lists("rank0: [" + text + "]", "f");
  CHECK(lists[0][0] == overlap);
  CHECK(lists[0][0]->boundary_p2p() == std::vector<Step>{kSend});
}

TEST_CASE("a schedule is one rank a line, None for a bubble") {
  const std::string text =
      "rank0: [MetaStep(type=MetaStepType.FWD, micro_index=1, stage_index=0), None]\n"
      "rank1: []\n";
  const Schedule schedule = read_meta_steps(text, "f");
  CHECK(schedule.stages == StageMap{2, {0}});
  CHECK(schedule.micro_batches == 2);
  CHECK(schedule.ranks == std::vector<StepList>{{kForward, std::nullopt}, {}});
  CHECK(meta_step_text(schedule) == text);
  CHECK(meta_step_text(StepList{std::nullopt, std::nullopt}) == "[None, None]");
}

TEST_CASE("layout that does not matter: order of fields, tuples, commas, lines, comments") {
  for (const char* text :
       {"rank1:()rank0:[MetaStep(stage_index=0,micro_index=1,type=MetaStepType.FWD)]",
        "# c\r\nrank0 : (\r\n\tMetaStep ( type = MetaStepType . FWD, # the first\r\n"
        "micro_index = 1, stage_index = 0, ), )\r\nrank1: (\n)",
        "\xef\xbb\xbfrank0: [MetaStep(type=MetaStepType.FWD, micro_index=1, stage_index=0, "
        "sub_steps=None, boundary_p2p=())]\nrank1: []",
        "{1: [], 0: [MetaStep(type=MetaStepType.FWD, micro_index=1, stage_index=0)]}\n",
        "{\n  0: (MetaStep(type=MetaStepType.FWD, micro_index=1, stage_index=0),),\n  1: [],\n}"}) {
    CAPTURE(text);
    CHECK(read_meta_step_lists(text, "f") == std::vector<StepList>{{kForward}, {}});
  }
}

TEST_CASE("a field that a type has not may be None or missing") {
  const StepList expected = {make_stage_step(StepType::fsdp_reshard, 0), make_batch({kSend})};
  const std::string send = "MetaStep(type=MetaStepType.FWD_SEND, micro_index=1, stage_index=0)";
  for (const std::string& unset : {""s, ", micro_index=None"s}) {
    const std::string text = fmt::format(
        "rank0: [MetaStep(type=MetaStepType.FSDP_RESHARD{}, stage_index=0), "
        "MetaStep(type=MetaStepType.BATCH_SEND_RECV{}, sub_steps=({},))]",
        unset, unset, send);
    CAPTURE(text);
    CHECK(read_meta_step_lists(text, "f") == std::vector<StepList>{expected});
  }
}

TEST_CASE("a text that breaks the grammar is refused where it does") {
  check_mistakes(kSyntax);
}

TEST_CASE("fields that do not suit the type are refused at the field") {
  check_mistakes(kFields);
}

TEST_CASE("lists that do not fit together are refused") {
  check_mistakes(kWholes);
}

TEST_CASE("steps nested without end are refused at the second level") {
  std::string text = "rank0: [";
  for (int depth = 0; depth < 1'000'000; ++depth) text += "MetaStep(sub_steps=[";
  check_mistakes(
      {{text, 1, 49, "a composite inside a composite; expected a step without sub-steps"}});
}

}  // namespace
}  // namespace steptwin
