#include "reports/timeline_text.h"

#include <doctest/doctest.h>

#include "tests/reports/trace_maker.h"

namespace steptwin::reports {
namespace {

Trace two_ranks() {
  TraceMaker maker(2);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 4)
      .p2p(0, StepType::fwd_send, 0, 0, {1}, {4, 4, 4, 5})
      .compute(0, StepType::fwd, 0, 1, 0, 4, 8)
      .p2p(1, StepType::fwd_recv, 1, 0, {0}, {0, 0, 4, 5})
      .compute(1, StepType::fwd, 1, 0, 0, 5, 9)
      .compute(1, StepType::bwd, 1, 0, 0, 9, 15)
      .p2p(1, StepType::bwd_send, 1, 0, {0}, {15, 15, 15, 16})
      .p2p(0, StepType::bwd_recv, 0, 0, {1}, {8, 8, 15, 16})
      .compute(0, StepType::bwd_input, 0, 0, 0, 16, 18)
      .compute(0, StepType::bwd_weight, 0, 0, 0, 18, 20);
  return maker.trace();
}

TEST_CASE("a row per rank, each run with letter and micro-batch, two columns a nanosecond") {
  CHECK(timeline_text(two_ranks(), {false, false, 48, false, 32}) ==
        R"(rank 0 │F0──────F1──────                B0══W0┄┄
rank 1 │          F0──────B0══════════
        0                                  20 ns
        F0─ forward   B0═ backward
        W0┄ weight gradient
)");
}

TEST_CASE("bubbles are dotted to the end of the step") {
  CHECK(timeline_text(two_ranks(), {false, false, 48, false, 32, true}) ==
        R"(rank 0 │F0──────F1──────················B0══W0┄┄
rank 1 │··········F0──────B0══════════··········
        0                                  20 ns
        F0─ forward   B0═ backward
        W0┄ weight gradient   ··· bubble
)");
}

TEST_CASE("ASCII, with communication below and ranks left out") {
  CHECK(timeline_text(two_ranks(), {false, true, 48, true, 1}) ==
        R"(rank 0 |F0------F1------                B0==W0~~
       |        pp      ..............pp
… 1 more rank
        0                                  20 ns
        F0- forward   B0= backward
        W0~ weight gradient
        below: p p2p   d dispatch   c combine
        x other   . waits for its peer
)");
}

TEST_CASE("the legend names what occurs, and takes another line where the width is short") {
  CHECK(timeline_text(two_ranks(), {false, true, 30, true, 1}) ==
        R"(rank 0 |F0--F1---         B0W0
       |    pp   ........p
… 1 more rank
        0                20 ns
        F0- forward
        B0= backward
        W0~ weight gradient
        below: p p2p
        d dispatch   c combine
        x other
        . waits for its peer
)");
  CHECK(timeline_text(gpipe_trace(1, 1), {false, true, 48, false, 1}) ==
        R"(rank 0 |F0-----------B0=========================
        0                                  30 ns
        F0- forward   B0= backward
)");
}

TEST_CASE("in colour the background says the direction and the text the micro-batch") {
  const std::string text = timeline_text(two_ranks(), {true, false, 48, false, 1});
  CHECK(text.find("\x1b[30;48;5;75m   0    \x1b[0m\x1b[30;48;5;111m   1    \x1b[0m      ") !=
        std::string::npos);
  CHECK(text.find("\x1b[30;48;5;71m 0  \x1b[0m\x1b[30;48;5;178m 0  \x1b[0m\n") !=
        std::string::npos);
}

TEST_CASE("a cell shows what computes longest in it, and is blank under half of compute") {
  // Ten columns of 10: F0 6 and F1 4; F1 3, F2 3 and F1 2 make F1 5; half is enough; 4 is not.
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 6)
      .compute(0, StepType::fwd, 0, 1, 0, 6, 13)
      .compute(0, StepType::fwd, 0, 2, 0, 13, 16)
      .compute(0, StepType::fwd, 0, 1, 0, 16, 18)
      .compute(0, StepType::fwd, 0, 3, 0, 22, 27)
      .compute(0, StepType::fwd, 0, 4, 0, 33, 37)
      .compute(0, StepType::fwd, 0, 5, 0, 99, 100)
      .compute(0, StepType::bwd, 0, 5, 0, 90, 99);
  CHECK(timeline_text(maker.trace(), {false, true, 18, false, 1})
            .starts_with("rank 0 |FFF      B\n"));
}

TEST_CASE("numbers that do not fit are left out, the letter stays") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 12, 0, 0, 20).compute(0, StepType::fwd, 0, 13, 0, 20, 100);
  CHECK(timeline_text(maker.trace(), {false, true, 18, false, 1})
            .starts_with("rank 0 |F-F13-----\n"));
}

TEST_CASE("columns shorter than a nanosecond are exact too") {
  TraceMaker maker(1);
  maker.compute(0, StepType::fwd, 0, 0, 0, 0, 1).compute(0, StepType::bwd, 0, 0, 0, 2, 3);
  CHECK(timeline_text(maker.trace(), {false, true, 20, false, 1})
            .starts_with("rank 0 |F0--    B0==\n"));
}

TEST_CASE("an empty trace has a picture too") {
  CHECK(
      timeline_text(TraceMaker(1).trace(), {false, true, 18, false, 1}).starts_with("rank 0 |\n"));
}

}  // namespace
}  // namespace steptwin::reports
