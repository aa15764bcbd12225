#include "reports/grid.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <sstream>
#include <string>

#include "model/formats/steps_text.h"

namespace steptwin::reports {
namespace {

std::string grid_of(const std::string& steps, const GridOptions& options = {}) {
  return grid_text(read_steps(steps, "test"), options);
}

TEST_CASE("one row a rank, one column a slot; overlaps, bubbles, and steps without a cell") {
  CHECK(grid_of("rank0: FSDP_UNSHARD(s0) FWD(s0,m0) FWD_SEND(s0,m0) FWD(s0,m1) - "
                "OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m2)]{BWD_RECV(s0,m1)} BWD(s0,m1) BWD(s0,m2)\n"
                "rank1: - DATA_LOAD(s1,m0) FWD(s1,m0) OVERLAP_B_F[BWD(s1,m0)|FWD(s1,m1)] "
                "BATCH_SEND_RECV[BWD_SEND(s1,m0)|FWD_RECV(s1,m2)] "
                "OVERLAP_B_F[BWD(s1,m1)|FWD(s1,m2)] BWD(s1,m2)\n") ==
        "slot   0  1  2     3     4  5\n"
        "rank0  F0 F1       B0|F2 B1 B2\n"
        "rank1     F0 B0|F1 B1|F2 B2\n"
        "\n"
        "F forward, B backward\n");
}

TEST_CASE("the halves of a backward, and columns as wide as their widest cell") {
  CHECK(grid_of("rank0: FWD(s0,m0) BWD_INPUT(s0,m0) BWD_WEIGHT(s0,m0) FWD(s0,m100)\n"
                "rank1: FWD(s1,m99) BWD_INPUT(s1,m99)\n") ==
        "slot   0   1   2  3\n"
        "rank0  F0  I0  W0 F100\n"
        "rank1  F99 I99\n"
        "\n"
        "F forward, I backward (input gradient), W backward (weight gradient)\n");
}

TEST_CASE("with several stages on a rank a letter says which, counted along the model") {
  // A V: rank 0 holds stages 0 and 3, rank 1 stages 1 and 2.
  CHECK(grid_of("rank0: FWD(s0,m0) - - FWD(s3,m0) BWD(s3,m0)\n"
                "rank1: - FWD(s1,m0) FWD(s2,m0)\n") ==
        "slot   0   1   2   3   4\n"
        "rank0  F0a         F0b B0b\n"
        "rank1      F0a F0b\n"
        "\n"
        "F forward, B backward; a, b: the rank's stages in order\n");
  CHECK(grid_of("rank0: FWD(s0,m0) FWD(s1,m0) FWD(s2,m0)\n") ==
        "slot   0   1   2\n"
        "rank0  F0a F0b F0c\n"
        "\n"
        "F forward; a to c: the rank's stages in order\n");
}

TEST_CASE("the 27th stage of a rank and those after it have numbers") {
  std::string steps = "rank0:";
  for (int stage = 0; stage < 28; ++stage) steps += " FWD(s" + std::to_string(stage) + ",m0)";
  const std::string grid = grid_of(steps);
  CHECK(grid.find(" F0y F0z F0.26 F0.27\n") != std::string::npos);
  CHECK(grid.find("a to .27:") != std::string::npos);
}

TEST_CASE("slots beyond the width continue in a further block") {
  const std::string steps =
      "rank0: FWD(s0,m0) FWD(s0,m1) FWD(s0,m2) BWD(s0,m0)\n"
      "rank1: FWD(s1,m0)\n";
  const std::string expected =
      "slot   0  1\n"
      "rank0  F0 F1\n"
      "rank1  F0\n"
      "\n"
      "slot   2  3\n"
      "rank0  F2 B0\n"
      "rank1\n"
      "\n"
      "F forward, B backward\n";
  CHECK(grid_of(steps, {false, 12}) == expected);
  CHECK(grid_of(steps, {false, 14}) == expected);
  CHECK(grid_of(steps, {false, 18}) == grid_of(steps));
  CHECK(grid_of(steps, {false, 17}) != grid_of(steps));
}

TEST_CASE("a width too small for anything still gives one column a block") {
  CHECK(grid_of("rank0: FWD(s0,m0) FWD(s0,m1)\n", {false, 1}) ==
        "slot   0\n"
        "rank0  F0\n"
        "\n"
        "slot   1\n"
        "rank0  F1\n"
        "\n"
        "F forward\n");
}

TEST_CASE("labels and numbers of two digits keep the columns aligned") {
  std::string steps;
  for (int rank = 0; rank < 11; ++rank) {
    steps += "rank" + std::to_string(rank) + ": FWD(s" + std::to_string(rank) + ",m0)\n";
  }
  const std::string grid = grid_of(steps);
  CHECK(grid.find("slot    0\nrank0   F0\n") == 0);
  CHECK(grid.find("rank10  F0\n") != std::string::npos);
}

TEST_CASE("colour surrounds each step and changes nothing else") {
  CHECK(grid_of("rank0: FWD(s0,m0) OVERLAP_F_B[FWD(s0,m1)|BWD_INPUT(s0,m0)] BWD_WEIGHT(s0,m0) "
                "BWD(s0,m1)\n",
                {true, 0}) ==
        "slot   0  1     2  3\n"
        "rank0  \x1b[34mF0\x1b[0m \x1b[34mF1\x1b[0m|\x1b[36mI0\x1b[0m \x1b[33mW0\x1b[0m "
        "\x1b[32mB1\x1b[0m\n"
        "\n"
        "F forward, B backward, I backward (input gradient), W backward (weight gradient)\n");
}

TEST_CASE("lists without a computing step have an empty grid") {
  Schedule schedule;
  schedule.stages = loop_map(1, 1);
  schedule.ranks = {{make_step(StepType::fwd_send, 0, 0)}};
  CHECK(grid_text(schedule) == "slot\nrank0\n");
  CHECK(grid_text(Schedule{}) == "slot\n");
}

}  // namespace
}  // namespace steptwin::reports
