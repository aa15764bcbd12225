#include "standstill/overdue.h"

#include <doctest/doctest.h>

#include "tests/sim/program_writer.h"

namespace steptwin {
namespace {

// System: rank 0 sends to rank 1 and then calls a collective; rank 1 does the same.
struct Standing {
  Standing() {
    const std::int32_t pair = add_communicator(program, {0, 1});
    ThreadWriter first(program, 0, 0);
    first.p2p(1, pair, {{true, StepType::fwd_send, 1, 0, 0, 64, 0}});
    first.collective(1, pair, KernelKind::all_to_all, 2);
    ThreadWriter second(program, 1, 0);
    second.p2p(1, pair, {{false, StepType::fwd_recv, 0, 1, 0, 64, 0}});
    second.collective(1, pair, KernelKind::all_to_all, 2);
    standstill.program = &program;
    for (const std::int32_t first_kernel : {0, 2}) {
      standstill.ranks.push_back({{}, {{}, {{first_kernel, first_kernel + 1}, 0}}, {}, -1});
    }
  }

  std::string text(std::int32_t passed_of_first, std::int32_t passed_of_second) {
    standstill.ranks[0].streams[1].passed = passed_of_first;
    standstill.ranks[1].streams[1].passed = passed_of_second;
    return overdue_text(standstill);
  }

  Program program = empty_program(2, {"compute", "comm"});
  Standstill standstill;
};

TEST_CASE("a kernel that has met all its peers is overdue") {
  CHECK(Standing().text(0, 0) ==
        "rank 0 stream comm stops at FWD_SEND(s0,m0) to rank 1, for which nothing is missing; "
        "rank 1 stream comm stops at FWD_RECV(s1,m2) from rank 0, for which nothing is missing");
  CHECK(Standing().text(2, 1) ==
        "rank 1 stream comm stops at dispatch of FWD(s1,m3), for which nothing is missing");
}

TEST_CASE("what waits for a peer, or is at its end, is not overdue") {
  CHECK(Standing().text(2, 2) == "");
  Standing alone;
  alone.standstill.ranks[1].streams[1].entries.clear();
  CHECK(alone.text(0, 0) == "");
}

TEST_CASE("a thread that waits for nobody is overdue, one that is blocked or over is not") {
  Standing standing;
  standing.standstill.ranks[0].threads = {{ThreadStop::ended, 2}};
  standing.standstill.ranks[1].threads = {{ThreadStop::in_event, 0}};
  CHECK(standing.text(2, 2) == "");
  standing.standstill.ranks[1].threads = {{ThreadStop::running, 0}};
  CHECK(standing.text(2, 2) == "rank 1 thread main could go on");
}

TEST_CASE("compute that does not end is overdue, a wait is not") {
  Program program = empty_program(1, {"compute"});
  ThreadWriter(program, 0, 0).compute(0, 5);
  Standstill standstill{&program, {{{}, {{{0}, 0}}, {}, -1}}};
  CHECK(overdue_text(standstill).starts_with("rank 0 stream compute stops at "));
  standstill.ranks[0].streams[0].entries = {~0};
  CHECK(overdue_text(standstill) == "");
}

}  // namespace
}  // namespace steptwin
