#include "model/formats/torch_csv.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "model/formats/steps_text.h"

namespace steptwin {
namespace {

constexpr TorchReadOptions kLenient{true};

std::string steps_of(const std::string& text, const TorchReadOptions& options = {}) {
  return steps_text(read_torch_csv(text, "f", Misplaced::refused, options));
}

void check_refused(const std::string& text, const std::string& message,
                   const TorchReadOptions& options = {}) {
  CAPTURE(text);
  CHECK_THROWS_WITH_AS(read_torch_csv(text, "f.csv", Misplaced::refused, options),
                       ("f.csv:" + message).c_str(), Error);
}

TEST_CASE("a row for each rank, a cell for each step, an empty cell for each bubble") {
  const Schedule schedule = read_torch_csv("0F0,0F1,,,0B0,0B1\r\n,1F0,1B0,1F1,1B1,\r\n", "s.csv");
  CHECK(schedule.name == "s.csv");
  CHECK(schedule.stages == loop_map(2, 1));
  CHECK(schedule.micro_batches == 2);
  CHECK(steps_text(schedule) ==
        "rank0: FWD(s0,m0) FWD(s0,m1) - - BWD(s0,m0) BWD(s0,m1)\n"
        "rank1: - FWD(s1,m0) BWD(s1,m0) FWD(s1,m1) BWD(s1,m1) -\n");
}

TEST_CASE("stages are on the ranks that compute them") {
  const Schedule schedule = read_torch_csv("0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n", "f");
  CHECK(schedule.stages == v_map(2, 2));
}

TEST_CASE("transfers and FSDP steps") {
  CHECK(steps_of("0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n"
                 "1RECV_F0,1F0,1B0,1SEND_B0\n") ==
        "rank0: FSDP_UNSHARD(s0) FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0) "
        "FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)\n"
        "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n");
}

TEST_CASE("LF, CR LF, no last line end, a byte order mark, quotes: all the same") {
  const std::string expected = "rank0: FWD(s0,m0)\nrank1: -\n";
  for (const char* text : {"0F0\n\"\"\n", "0F0\r\n\"\"\r\n", "0F0\n\"\"",
                           "\xef\xbb\xbf"
                           "0F0\n\"\"",
                           "\"0F0\"\n\"\"", "0F0 \n \n"}) {
    CAPTURE(text);
    CHECK(steps_of(text) == expected);
  }
}

TEST_CASE("the old dialect") {
  const std::string expected =
      "rank0: FWD(s0,m0) FWD(s0,m1) BWD_INPUT(s0,m0) BWD_WEIGHT(s0,m0) BWD(s0,m1)\n";
  CHECK(steps_of("0F0,0F1,0B0,0W0,0BW1\n") == expected);
  CHECK(steps_of("0F0,0F1,0I0,0W0,0B1\n") == expected);
  CHECK(steps_of("0F0,0B0,0W0\n") == "rank0: FWD(s0,m0) BWD_INPUT(s0,m0) BWD_WEIGHT(s0,m0)\n");
  check_refused("0F0,0F1,0I0,0W0,0BW1\n",
                "1:10: error: I in a file of the old dialect, in which BW is the whole backward; "
                "expected B, the input gradient of that dialect");
}

TEST_CASE("what is wrong is said with line and column") {
  check_refused("0F0,0B0\n1F0,1B0junk\n",
                "2:8: error: unexpected \"junk\"; expected \",\" and the next cell, or the end of "
                "the row");
  check_refused("0F0;0B0\n",
                "1:4: error: unexpected \";\"; expected \",\" and the next cell, or the end of the "
                "row");
  check_refused("0F0\n\n1F0\n",
                "2:1: error: a blank line; expected the cells of a rank on every line");
  check_refused("0F0\r\n\r\n",
                "2:1: error: a blank line; expected the cells of a rank on every line");
  check_refused("0F0,1F0\n1B0,0B0\n",
                "2:1: error: stage 1 is computed on rank 1, but also on rank 0 (line 1); expected "
                "each stage on one rank");
  check_refused(
      "0B0\n",
      "1:1: error: no rank has a FWD step; expected at least one, since the FWD steps say "
      "how many micro-batches there are");
  check_refused("0F0,2F0\n",
                "1:5: error: stage 2 is computed, but stage 1 is not; expected stages 0 to 2, each "
                "computed by some rank");
  check_refused("0F0,0F1,0B0,0B2\n",
                "1:13: error: micro-batch 2, which no forward runs; expected a micro-batch 0 to 1");
}

TEST_CASE("with transfers or FSDP steps no cell is empty") {
  check_refused("0F0,,0B0\n1F0,1SEND_B0\n",
                "1:5: error: an empty cell in a schedule with transfers, as in line 2, column 5; "
                "expected every cell filled, or computing alone");
  check_refused("0F0,0UNSHARD,\n",
                "1:14: error: an empty cell in a schedule with FSDP steps, as in line 1, column 5; "
                "expected every cell filled, or computing alone",
                kLenient);
}

TEST_CASE("for a check, misplaced steps and unknown micro-batches are kept") {
  const Schedule schedule = read_torch_csv("0F0,1B0,0B3\n1F0,1I0\n", "f", Misplaced::kept);
  CHECK(schedule.stages == loop_map(2, 1));
  CHECK(schedule.micro_batches == 1);
  CHECK(steps_text(schedule) ==
        "rank0: FWD(s0,m0) BWD(s1,m0) BWD(s0,m3)\nrank1: FWD(s1,m0) BWD_INPUT(s1,m0)\n");
}

TEST_CASE("leniently, as PyTorch reads: junk, blank lines, any micro-batch") {
  CHECK(steps_of("0F0junk,0UNSHARD3,0B7\n\n(1F0;;1B0 x)OVERLAP_F_B\n", kLenient) ==
        "rank0: FWD(s0,m0) FSDP_UNSHARD(s0) BWD(s0,m7)\nrank1:\n"
        "rank2: OVERLAP_F_B[FWD(s1,m0)|BWD(s1,m0)]\n");
}

TEST_CASE("what was read in another way is said, with how many") {
  const auto notes = [](const std::string& text) { return torch_csv_notes(text, "f", kLenient); };
  CHECK(notes("0F0,0B0\n").empty());
  CHECK(torch_csv_notes("0F0,0I0,0W0\n", "f").empty());
  CHECK(notes("0F0,0BW0\n") ==
        std::vector<std::string>{
            "read in the old dialect: B is the input gradient, BW the whole backward"});
  CHECK(notes("0F0 x,0F1y,(0B0;0F1)OVERLAP_F_B,(0F0;;0B1)OVERLAP_F_B,0UNSHARD7,0B9\n\n") ==
        std::vector<std::string>{"2 actions with something else behind it, passed over",
                                 "1 empty action of an overlap passed over",
                                 "1 micro-batch number of FSDP steps passed over",
                                 "1 OVERLAP_F_B with the backward first, read as OVERLAP_B_F",
                                 "1 blank line read as ranks without steps",
                                 "1 action of a micro-batch that no forward runs, kept"});
}

TEST_CASE("written as PyTorch writes it: CR LF, and quotes where a row has one empty cell only") {
  const std::string text = "0F0,,(0F1;0B0)OVERLAP_F_B,0B1,\r\n\"\"\r\n,\r\n";
  CHECK(torch_csv(read_torch_csv(text, "f")) == text);
  CHECK(torch_csv(read_torch_csv("0F0\n\n", "f", Misplaced::refused, kLenient)) == "0F0\r\n\r\n");
}

}  // namespace
}  // namespace steptwin
