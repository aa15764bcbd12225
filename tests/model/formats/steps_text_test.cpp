#include "model/formats/steps_text.h"

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
    CHECK_THROWS_WITH_AS(read_steps(mistake.text, "f"), expected.c_str(), Error);
  }
}

const std::vector<Mistake> kLines = {
    {"", 1, 1, "there are no step lists; expected one for each rank, such as rank0: FWD(s0,m0)"},
    {"# only a comment\n", 2, 1,
     "there are no step lists; expected one for each rank, such as rank0: FWD(s0,m0)"},
    {"\n\n  \t\r\n", 4, 1,
     "there are no step lists; expected one for each rank, such as rank0: FWD(s0,m0)"},
    {"rank0: FWDD(s0,m0)", 1, 8,
     "there is no step type \"FWDD\"; expected a step type, perhaps FWD"},
    {"rank0: QQQQQQQQ(s0,m0)", 1, 8,
     "there is no step type \"QQQQQQQQ\"; expected a step type, such as FWD or BWD_SEND"},
    {"rank0: fwd(s0,m0)", 1, 8, "there is no step type \"fwd\"; expected a step type, perhaps FWD"},
    {"rank0: FSDP_WAIT_REDUCE_GRAD(s0)", 1, 8,
     "there is no step type \"FSDP_WAIT_REDUCE_GRAD\"; expected a step type, perhaps "
     "FSDP_REDUCE_GRAD"},
    {"rnk0: FWD(s0,m0)", 1, 1,
     "unexpected \"rnk0\"; expected a line such as rank0: FWD(s0,m0), or # and a comment"},
    {"FWD(s0,m0)", 1, 1,
     "unexpected \"FWD\"; expected a line such as rank0: FWD(s0,m0), or # and a comment"},
    {"rank: FWD(s0,m0)", 1, 5, "unexpected \":\"; expected a rank number, 0 to 16777215"},
    {"rank0 FWD(s0,m0)", 1, 7, "unexpected \"FWD\"; expected \":\" and the steps of the rank"},
    {"rank-1: FWD(s0,m0)", 1, 5, "unexpected \"-\"; expected a rank number, 0 to 16777215"},
    {"rank16777216: FWD(s0,m0)", 1, 5,
     "the number \"16777216\" is too large; expected a rank number, 0 to 16777215"},
    {"rank0: FWD s0,m0", 1, 12, "unexpected \"s0\"; expected \"(\" and a stage, such as (s0,m0)"},
    {"rank0: FWD(0,m0)", 1, 12, "unexpected \"0\"; expected a stage, such as s0"},
    {"rank0: FWD(s,m0)", 1, 13, "unexpected \",\"; expected a stage number, 0 to 16777215"},
    {"rank0: FWD(s-1,m0)", 1, 13, "unexpected \"-\"; expected a stage number, 0 to 16777215"},
    {"rank0: FWD(s0,m-3)", 1, 16, "unexpected \"-\"; expected a micro-batch number, 0 to 16777215"},
    {"rank0: FWD(s0,m16777216)", 1, 16,
     "the number \"16777216\" is too large; expected a micro-batch number, 0 to 16777215"},
    {"rank0: FWD(s99999999999999999999999999999999999999999999999999,m0)", 1, 13,
     "the number \"99999999999999999999999999999999\"... is too large; expected a stage number, 0 "
     "to 16777215"},
    {"rank0: FWD(s0)", 1, 14, "unexpected \")\"; expected \",\" and a micro-batch, such as ,m0"},
    {"rank0: FWD(s0,0)", 1, 15, "unexpected \"0\"; expected a micro-batch, such as m0"},
    {"rank0: FWD(s0,m0", 1, 17, "unexpected end of file; expected \")\""},
    {"rank0: FWD(s0,m0]", 1, 17, "unexpected \"]\"; expected \")\""},
    {"rank0: FWD(s0,m0))", 1, 18, "unexpected \")\"; expected a blank before the next step"},
    {"rank0: FWD(s0,m0,m1)", 1, 17, "unexpected \",\"; expected \")\""},
    {"rank0: FWD(s0,m0)FWD(s0,m1)", 1, 18,
     "unexpected \"FWD\"; expected a blank before the next step"},
    {"rank0: FWD(s0,m0) --", 1, 20, "unexpected \"-\"; expected a blank before the next step"},
    {"rank0: FWD(s0,m0) ; BWD(s0,m0)", 1, 19,
     "unexpected \";\"; expected a step, such as FWD(s0,m0), or - for a bubble"},
    {"rank0: FWD(s0,m0) # later", 1, 19,
     "unexpected \"#\"; expected a step or -; a comment has a line of its own"},
    {"rank0: FSDP_UNSHARD(s0,m0)", 1, 23,
     "FSDP_UNSHARD has no micro-batch; expected \")\" after the stage"},
    {"rank0: FSDP_UNSHARD", 1, 20,
     "unexpected end of file; expected \"(\" and a stage, such as (s0,m0)"},
};

const std::vector<Mistake> kComposites = {
    {"rank0: FWD[FWD(s0,m0)]", 1, 11,
     "unexpected \"[\"; expected \"(\" and a stage, such as (s0,m0)"},
    {"rank0: BATCH_SEND_RECV(s0,m0)", 1, 23, "unexpected \"(\"; expected \"[\" and the sub-steps"},
    {"rank0: BATCH_SEND_RECV[]", 1, 24,
     "unexpected \"]\"; expected FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND"},
    {"rank0: BATCH_SEND_RECV[FWD(s0,m0)]", 1, 24,
     "FWD in BATCH_SEND_RECV; expected FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND"},
    {"rank0: BATCH_SEND_RECV[FWD_SEND(s0,m0)-]", 1, 39,
     "unexpected \"-\"; expected \"|\" and a step, or \"]\""},
    {"rank0: BATCH_SEND_RECV[FWD_SEND(s0,m0)", 1, 39,
     "unexpected end of file; expected \"|\" and a step, or \"]\""},
    {"rank0: BATCH_SEND_RECV[FWD_SEND(s0,m0)|]", 1, 40,
     "unexpected \"]\"; expected FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND"},
    {"rank0: BATCH_SEND_RECV[ZEBRA(s0,m0)]", 1, 24,
     "there is no step type \"ZEBRA\"; expected FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND"},
    {"rank0: OVERLAP_F_B[FWD(s0,m0)|]", 1, 31,
     "unexpected \"]\"; expected FWD, then BWD or BWD_INPUT"},
    {"rank0: BATCH_SEND_RECV[FWD_SEND(s0,m0)|BATCH_SEND_RECV[FWD_SEND(s0,m0)]]", 1, 40,
     "BATCH_SEND_RECV inside BATCH_SEND_RECV; expected FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND"},
    {"rank0: OVERLAP_B_F[BWD(s0,m0)]", 1, 8,
     "OVERLAP_B_F with 1 sub-step; expected BWD or BWD_INPUT, then FWD"},
    {"rank0: OVERLAP_B_F[FWD(s0,m0)|BWD(s0,m0)]", 1, 20,
     "FWD as the first half of OVERLAP_B_F; expected BWD or BWD_INPUT, then FWD"},
    {"rank0: OVERLAP_F_B[FWD(s0,m0)|BWD_WEIGHT(s0,m0)]", 1, 31,
     "BWD_WEIGHT as the second half of OVERLAP_F_B; expected FWD, then BWD or BWD_INPUT"},
    {"rank0: OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)|FWD(s0,m2)]", 1, 42,
     "OVERLAP_B_F with 3 sub-steps; expected BWD or BWD_INPUT, then FWD"},
    {"rank0: OVERLAP_B_F[OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]|FWD(s0,m2)]", 1, 20,
     "OVERLAP_B_F inside OVERLAP_B_F; expected BWD or BWD_INPUT, then FWD"},
    {"rank0: OVERLAP_F_B[FWD(s0,m0)|BWD(s0,m0)]{FWD_SEND(s0,m0)}", 1, 43,
     "boundary steps in OVERLAP_F_B; expected them in OVERLAP_B_F only"},
    {"rank0: OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]{}", 1, 43,
     "unexpected \"}\"; expected FWD_RECV, FWD_SEND, BWD_RECV or BWD_SEND"},
    {"rank0: OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]{DATA_SEND(s0,m0)}", 1, 43,
     "DATA_SEND in the boundary steps of OVERLAP_B_F; expected FWD_RECV, FWD_SEND, BWD_RECV or "
     "BWD_SEND"},
    {"rank0: OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)] {FWD_SEND(s0,m1)}", 1, 43,
     "unexpected \"{\"; expected a step, such as FWD(s0,m0), or - for a bubble"},
    {"rank0: BATCH_SEND_RECV[FWD_SEND(s0,m0)]{FWD_SEND(s0,m0)}", 1, 41,
     "boundary steps in BATCH_SEND_RECV; expected them in OVERLAP_B_F only"},
};

// Each line is right, but not together.
const std::vector<Mistake> kWholes = {
    {"rank0: FWD(s0,m0)\nrank0: BWD(s0,m0)", 2, 1,
     "rank 0 is listed twice, first on line 1; expected each rank once"},
    {"rank0: FWD(s0,m0)\nrank2: FWD(s1,m0)", 2, 1,
     "rank 2 is listed, but rank 1 is missing; expected ranks 0 to 2, each once"},
    {"rank1: FWD(s0,m0)", 1, 1,
     "rank 1 is listed, but rank 0 is missing; expected ranks 0 to 1, each once"},
    {"rank0: FWD(s0,m0)\nrank1: FWD(s1,m0) FWD(s0,m1)", 2, 19,
     "stage 0 is computed on rank 1, but also on rank 0 (line 1); expected each stage on one rank"},
    {"rank0: FWD(s0,m0)\n\n# x\nrank1: FWD(s2,m0)", 4, 8,
     "stage 2 is computed, but stage 1 is not; expected stages 0 to 2, each computed by some rank"},
    {"rank0: FWD(s0,m0) FWD_SEND(s1,m0)\nrank1: FWD(s1,m0)", 1, 19,
     "FWD_SEND(s1,m0) is on rank 0; expected it on rank 1, which computes stage 1"},
    {"rank0: FWD(s0,m0) FWD_SEND(s1,m0)", 1, 19,
     "FWD_SEND(s1,m0) is of a stage that no rank computes; expected a stage 0 to 0"},
    {"rank0: FSDP_UNSHARD(s16777215) FWD(s0,m0)", 1, 8,
     "FSDP_UNSHARD(s16777215) is of a stage that no rank computes; expected a stage 0 to 0"},
    {"rank0: BWD(s0,m0)", 1, 1,
     "no rank has a FWD step; expected at least one, since the FWD steps say how many "
     "micro-batches there are"},
    {"rank0:\nrank1: -", 1, 1,
     "no rank has a FWD step; expected at least one, since the FWD steps say how many "
     "micro-batches there are"},
};

const std::vector<Mistake> kBinary = {
    {"rank0: FWD(s0,\000m0)"s, 1, 15, "unexpected \"\\x00\"; expected a micro-batch, such as m0"},
    {"rank0: FWD(s0,m0) \377\376", 1, 19,
     "unexpected \"\\xff\"; expected a step, such as FWD(s0,m0), or - for a bubble"},
    {"rank0: FWD(s0,m0) \303\251t\303\251", 1, 19,
     "unexpected \"\303\251\"; expected a step, such as FWD(s0,m0), or - for a bubble"},
    {"rank0: FWD(s0,m0)\r FWD(s0,m1)", 1, 18,
     "unexpected \"\\x0d\"; expected a blank before the next step"},
    {"\177ELF\002\001", 1, 1,
     "unexpected \"\\x7f\"; expected a line such as rank0: FWD(s0,m0), or # and a comment"},
};

TEST_CASE("a step of every shape is written and read") {
  const Step send = make_step(StepType::fwd_send, 0, 3);
  const Step receive = make_step(StepType::bwd_recv, 0, 1);
  const Step backward = make_step(StepType::bwd_input, 0, 0);
  const Step forward = make_step(StepType::fwd, 0, 3);
  const StepList list = {
      forward,
      std::nullopt,
      make_stage_step(StepType::fsdp_unshard, 0),
      make_batch({send, receive}),
      make_overlap(StepType::overlap_b_f, backward, forward, {send, receive}),
      make_overlap(StepType::overlap_f_b, forward, backward),
  };
  const std::string text =
      "FWD(s0,m3) - FSDP_UNSHARD(s0) BATCH_SEND_RECV[FWD_SEND(s0,m3)|BWD_RECV(s0,m1)] "
      "OVERLAP_B_F[BWD_INPUT(s0,m0)|FWD(s0,m3)]{FWD_SEND(s0,m3)|BWD_RECV(s0,m1)} "
      "OVERLAP_F_B[FWD(s0,m3)|BWD_INPUT(s0,m0)]";
  CHECK(steps_text(list) == text);
  CHECK(step_text(forward) == "FWD(s0,m3)");

  const std::vector<StepList> lists = read_step_lists("rank0: " + text + "\n", "f");
  REQUIRE(lists.size() == 1);
  CHECK(lists[0] == list);
  CHECK(lists[0][4]->boundary_p2p() == std::vector<Step>{send, receive});
}

TEST_CASE("stage map and micro-batches follow from the lists") {
  const Schedule schedule = read_steps(
      "# a V of two ranks, with a third that computes nothing\n"
      "rank2:\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD(s2,m0) FWD_SEND(s2,m0)\n"
      "rank0: FWD(s0,m0) FWD(s3,m4) BWD_WEIGHT(s3,m0)\n",
      "v.steps");
  CHECK(schedule.name == "v.steps");
  CHECK(schedule.stages == StageMap{3, {0, 1, 1, 0}});
  CHECK(schedule.micro_batches == 5);
  REQUIRE(schedule.ranks.size() == 3);
  CHECK(schedule.ranks[2].empty());
  CHECK(steps_text(schedule) ==
        "rank0: FWD(s0,m0) FWD(s3,m4) BWD_WEIGHT(s3,m0)\n"
        "rank1: FWD_RECV(s1,m0) FWD(s1,m0) FWD(s2,m0) FWD_SEND(s2,m0)\n"
        "rank2:\n");
}

TEST_CASE("two copies of the model are told by the micro-batches their stages have") {
  const auto copies = [](const std::string& lists) { return read_steps(lists, "f").stages.copies; };
  CHECK(copies("rank0: FWD(s0,m0) FWD(s3,m1)\nrank1: FWD(s1,m0) FWD(s2,m1)") == 2);
  CHECK(copies("rank0: OVERLAP_F_B[FWD(s0,m1)|BWD(s1,m2)] FWD(s0,m0) FWD(s1,m2) FWD(s1,m3)") == 2);
  CHECK(copies("rank0: FWD(s0,m0) FWD(s1,m0) FWD(s0,m1) FWD(s1,m1)") == 1);
  CHECK(copies("rank0: FWD(s0,m1) FWD(s1,m0)") == 1);
  CHECK(copies("rank0: FWD(s0,m0) FWD(s1,m0) FWD(s2,m1)") == 1);
  CHECK(copies("rank0: FWD(s0,m0) FWD(s1,m2)") == 1);
  CHECK(copies("rank0: FWD(s0,m0) FWD(s1,m0) BWD(s1,m1)") == 1);
}

TEST_CASE("every rank and slot has its place in the text") {
  const std::string text = "rank1: FWD(s1,m0)\n# c\n  rank0:  - FWD(s0,m0) ";
  const PlacedSchedule placed = read_placed_steps(text, "f");
  CHECK(placed.rank_at == std::vector<std::size_t>{24, 0});
  CHECK(placed.slot_at == std::vector<std::vector<std::size_t>>{{32, 34}, {7}});
}

TEST_CASE("lists alone need no stages, but do need every rank") {
  CHECK(read_step_lists("rank1: -\nrank0: BWD(s7,m0)\n", "f").size() == 2);
  CHECK_THROWS_WITH_AS(
      read_step_lists("rank0: -\nrank0: -\n", "f"),
      "f:2:1: error: rank 0 is listed twice, first on line 1; expected each rank once", Error);
}

TEST_CASE(
    "layout that does not matter: blanks, CR LF, empty lines, a byte order mark, no last end") {
  const std::string plain = "rank0: FWD(s0,m0) BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m0)]\n";
  for (const char* text :
       {"\xef\xbb\xbfrank0: FWD(s0,m0) BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m0)]",
        "\r\n# c\r\nrank0: FWD(s0,m0) BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m0)]\r\n\r\n",
        " \t rank0 :FWD ( s0 , m0 )\tBATCH_SEND_RECV [ FWD_SEND(s0,m0) | BWD_RECV(s0,m0) ]  ",
        "rank00: FWD(s00,m0) BATCH_SEND_RECV[FWD_SEND(s0,m000)|BWD_RECV(s0,m0)]\r"}) {
    CAPTURE(text);
    CHECK(steps_text(read_steps(text, "f")) == plain);
  }
}

TEST_CASE("the largest numbers are read") {
  const auto lists = read_step_lists("rank0: FWD(s16777215,m16777215)", "f");
  CHECK(lists[0][0] == make_step(StepType::fwd, 16'777'215, 16'777'215));
}

TEST_CASE("places count from 1, in bytes, and not the byte order mark") {
  check_mistakes({{"\xef\xbb\xbfrank0: X", 1, 8,
                   "there is no step type \"X\"; expected a step type, such as FWD or BWD_SEND"},
                  {"# \xc3\xa9\r\n\t rank0: -\xc3\xa9", 2, 11,
                   "unexpected \"\xc3\xa9\"; expected a blank before the next step"}});
}

TEST_CASE("a line that breaks the grammar is refused where it does") {
  check_mistakes(kLines);
}

TEST_CASE("a composite of the wrong parts is refused at the part") {
  check_mistakes(kComposites);
}

TEST_CASE("lists that do not fit together are refused") {
  check_mistakes(kWholes);
}

// "stages: rank of each stage; micro-batches", with misplaced steps kept.
std::string kept(const std::string& text) {
  const Schedule schedule = read_steps(text, "f", Misplaced::kept);
  std::string words;
  for (const std::int32_t rank : schedule.stages.rank_of_stage) words += std::to_string(rank) + " ";
  CHECK(steps_text(schedule) == text);
  return words + "m" + std::to_string(schedule.micro_batches);
}

TEST_CASE("misplaced steps are kept where that is asked for; who computes most holds the stage") {
  CHECK(kept("rank0: FWD(s0,m0) FWD(s1,m0)\nrank1: FWD(s1,m1) BWD(s1,m1)\n") == "0 1 m2");
  CHECK(kept("rank0: FWD(s0,m0) FWD_SEND(s1,m0)\nrank1: FWD(s1,m0)\n") == "0 1 m1");
  CHECK(kept("rank0: FWD(s0,m0)\nrank1: FWD(s0,m0) FSDP_UNSHARD(s0)\n") == "1 m1");
  CHECK(kept("rank0: FWD(s0,m0)\nrank1: FWD(s0,m0)\n") == "0 m1");  // a tie
  CHECK(kept("rank0: FWD(s0,m0)\nrank1: FWD_RECV(s1,m0)\nrank2: FWD(s2,m0)\n") == "0 1 2 m1");
  CHECK(kept("rank0: FWD(s0,m0) FWD_SEND(s9,m0)\n") == "0 m1");
  CHECK(kept("rank0: BWD(s0,m3)\n") == "0 m4");
  CHECK_THROWS_WITH_AS(read_steps("rank0: FWD(s0,m0) FWD(s2,m0)", "f", Misplaced::kept),
                       "f:1:19: error: stage 2 is computed, but stage 1 is not; expected stages 0 "
                       "to 2, each computed by some rank",
                       Error);
  CHECK_THROWS_AS(read_steps("rank0: FSDP_UNSHARD(s0)", "f", Misplaced::kept), Error);
}

TEST_CASE("bytes that are no text are shown escaped") {
  check_mistakes(kBinary);
}

TEST_CASE("a word of any length is quoted by its beginning") {
  check_mistakes({{"rank0: " + std::string(20'000'000, 'F'), 1, 8,
                   "there is no step type \"FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF\"...; "
                   "expected a step type, such as FWD or BWD_SEND"}});
}

TEST_CASE("the number of slots is bounded") {
  // "rank0:" and then 2^23 + 1 bubbles: the last one is the last byte.
  std::string text = "rank0:";
  for (int slot = 0; slot < 8'388'609; ++slot) text += " -";
  check_mistakes({{text, 1, static_cast<int>(text.size()),
                   "the file has too many steps and bubbles; expected at most 8388608"}});
}

}  // namespace
}  // namespace steptwin
