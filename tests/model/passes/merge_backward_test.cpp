#include "model/passes/merge_backward.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"

namespace steptwin {
namespace {

std::string merged(const std::string& steps) {
  return steps_text(
             merge_backward(read_steps("rank0: FWD(s0,m1) FWD(s1,m1) " + steps, "f")).ranks[0])
      .substr(std::string("FWD(s0,m1) FWD(s1,m1) ").size());
}

TEST_CASE("halves side by side become one, bubbles between them or not") {
  CHECK(merged("BWD_INPUT(s0,m0) BWD_WEIGHT(s0,m0)") == "BWD(s0,m0)");
  CHECK(merged("BWD_INPUT(s0,m0) - - BWD_WEIGHT(s0,m0) - BWD(s0,m1)") == "BWD(s0,m0) BWD(s0,m1)");
  CHECK(merged("BWD_INPUT(s1,m0) BWD_WEIGHT(s1,m0) BWD_INPUT(s0,m0) BWD_WEIGHT(s0,m0)") ==
        "BWD(s1,m0) BWD(s0,m0)");
}

TEST_CASE("halves apart, of another stage or micro-batch, or in an overlap stay") {
  for (const std::string steps :
       {"BWD_INPUT(s0,m0) FWD(s0,m0) BWD_WEIGHT(s0,m0)", "BWD_INPUT(s0,m0) BWD_WEIGHT(s0,m1)",
        "BWD_INPUT(s0,m0) BWD_WEIGHT(s1,m0)", "BWD_WEIGHT(s0,m0) BWD_INPUT(s0,m0)",
        "OVERLAP_F_B[FWD(s0,m0)|BWD_INPUT(s0,m0)] BWD_WEIGHT(s0,m0)"}) {
    CAPTURE(steps);
    CHECK(merged(steps) == steps);
  }
}

}  // namespace
}  // namespace steptwin
