#include "model/passes/ungroup_p2p.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"
#include "model/passes/coalesce_p2p.h"
#include "tests/scenarios.h"

namespace steptwin {
namespace {

TEST_CASE("batches come apart, boundary transfers follow their overlap, bubbles stay") {
  CHECK(steps_text(ungroup_p2p(read_steps(
            "rank0: FWD(s0,m0) - BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m0)] "
            "OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)]{FWD_SEND(s0,m1)|BWD_RECV(s0,m1)} BWD(s0,m1)\n"
            "rank1: FWD(s1,m0)\n",
            "f"))) ==
        "rank0: FWD(s0,m0) - FWD_SEND(s0,m0) BWD_RECV(s0,m0) OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m1)] "
        "FWD_SEND(s0,m1) BWD_RECV(s0,m1) BWD(s0,m1)\n"
        "rank1: FWD(s1,m0)\n");
}

TEST_CASE("what was coalesced comes apart as it was") {
  for (const char* name : {"1f1b", "interleaved_1f1b"}) {
    const Schedule schedule =
        make_schedule(stage_scenario(name, 4, name[0] == '1' ? 1 : 2, 8, 1, 1, 1, 0));
    CHECK(coalesce_p2p(schedule).ranks != schedule.ranks);
    CHECK(ungroup_p2p(coalesce_p2p(schedule)).ranks == schedule.ranks);
  }
}

}  // namespace
}  // namespace steptwin
