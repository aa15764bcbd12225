#include "model/check_residency.h"

#include <doctest/doctest.h>
#include <string>

#include "model/formats/steps_text.h"

namespace steptwin {
namespace {

// One rank that holds its stages, one finding a line; as check_schedule sorts them in.
std::string findings(const std::string& steps) {
  std::string text;
  for (const Finding& finding : check_schedule(read_steps("rank0: " + steps, "test.steps"))) {
    text += finding_text(finding) + "\n";
  }
  return text;
}

TEST_CASE("FSDP: gathered before it computes, reduced behind its last gradient") {
  CHECK(findings("FSDP_UNSHARD(s0) FWD(s0,m0) BWD(s0,m0) FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)") ==
        "");
  CHECK(findings("FSDP_UNSHARD(s0) FWD(s0,m0) FSDP_RESHARD(s0) FSDP_UNSHARD(s0) BWD(s0,m0) "
                 "FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)") == "");
  CHECK(findings("FWD(s0,m0) BWD(s0,m0) FSDP_REDUCE_GRAD(s0)") == "");  // never sharded
}

TEST_CASE("FSDP: computing on a sharded stage") {
  CHECK(findings("FWD(s0,m0) FSDP_UNSHARD(s0) BWD(s0,m0) FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)") ==
        "rank 0 slot 0 FWD(s0,m0): runs while stage 0 is sharded\n");
  CHECK(findings("FSDP_UNSHARD(s0) FWD(s0,m0) FSDP_RESHARD(s0) BWD(s0,m0) FSDP_REDUCE_GRAD(s0)") ==
        "rank 0 slot 3 BWD(s0,m0): runs while stage 0 is sharded\n");
  CHECK(findings("FSDP_UNSHARD(s0) FWD(s0,m0) FWD(s0,m1) FSDP_RESHARD(s0) "
                 "OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m2)] FSDP_UNSHARD(s0) BWD(s0,m1) BWD(s0,m2) "
                 "FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)") ==
        "rank 0 slot 4 BWD(s0,m0): runs while stage 0 is sharded\n"
        "rank 0 slot 4 FWD(s0,m2): runs while stage 0 is sharded\n");
}

TEST_CASE("FSDP: gathered or resharded twice, and a gradient behind its reduction") {
  CHECK(findings("FSDP_UNSHARD(s0) FSDP_UNSHARD(s0) FWD(s0,m0) BWD(s0,m0) "
                 "FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)") ==
        "rank 0 slot 1 FSDP_UNSHARD(s0): stage 0 is gathered already\n");
  CHECK(findings("FSDP_UNSHARD(s0) FWD(s0,m0) BWD(s0,m0) FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0) "
                 "FSDP_RESHARD(s0)") ==
        "rank 0 slot 5 FSDP_RESHARD(s0): stage 0 is not gathered\n");
  CHECK(findings("FWD(s0,m0) BWD_INPUT(s0,m0) FSDP_REDUCE_GRAD(s0) BWD_WEIGHT(s0,m0)") ==
        "rank 0 slot 3 BWD_WEIGHT(s0,m0): its gradient comes behind FSDP_REDUCE_GRAD(s0) in slot "
        "2\n");
}

TEST_CASE("FSDP: what is gathered is sharded again, what is summed up is reduced, once") {
  CHECK(findings("FSDP_UNSHARD(s0) FWD(s0,m0) FSDP_RESHARD(s0) FSDP_UNSHARD(s0) BWD(s0,m0) "
                 "FSDP_REDUCE_GRAD(s0)") ==
        "rank 0 slot 3 FSDP_UNSHARD(s0): is never undone: there is no FSDP_RESHARD(s0) behind "
        "it\n");
  CHECK(findings("FSDP_UNSHARD(s0) FWD(s0,m0) FWD(s0,m1) BWD(s0,m0) BWD_INPUT(s0,m1) "
                 "BWD_WEIGHT(s0,m1) FSDP_RESHARD(s0)") ==
        "rank 0 slot 5 BWD_WEIGHT(s0,m1): the gradients of stage 0 are never reduced: there is no "
        "FSDP_REDUCE_GRAD(s0) behind it\n");
  CHECK(findings("FWD(s0,m0) BWD(s0,m0) FSDP_REDUCE_GRAD(s0) FSDP_REDUCE_GRAD(s0)") ==
        "rank 0 slot 3 FSDP_REDUCE_GRAD(s0): is done in slot 2 already, and no gradient came "
        "since\n");
  CHECK(findings("FWD(s0,m0) FWD(s0,m1) BWD(s0,m0) FSDP_REDUCE_GRAD(s0) BWD(s0,m1) "
                 "FSDP_REDUCE_GRAD(s0)") ==
        "rank 0 slot 4 BWD(s0,m1): its gradient comes behind FSDP_REDUCE_GRAD(s0) in slot 3\n");
}

const std::string kOffloaded = "FWD(s0,m0) SWAP_LAUNCH_OFFLOAD(s0,m0) SWAP_WAIT_OFFLOAD(s0,m0) ";

TEST_CASE("SWAP: offloaded, waited for, loaded, waited for, and then used") {
  CHECK(findings(kOffloaded + "SWAP_LAUNCH_LOAD(s0,m0) SWAP_WAIT_LOAD(s0,m0) BWD(s0,m0)") == "");
  CHECK(findings(kOffloaded + "SWAP_LAUNCH_LOAD(s0,m0) SWAP_WAIT_LOAD(s0,m0) BWD_INPUT(s0,m0) "
                              "BWD_WEIGHT(s0,m0)") == "");
}

TEST_CASE("SWAP: a load that is never waited for") {
  CHECK(findings(kOffloaded + "BWD(s0,m0) SWAP_LAUNCH_LOAD(s0,m0)") ==
        "rank 0 slot 3 BWD(s0,m0): runs before SWAP_WAIT_LOAD(s0,m0)\n"
        "rank 0 slot 4 SWAP_LAUNCH_LOAD(s0,m0): is never waited for: there is no "
        "SWAP_WAIT_LOAD(s0,m0) behind it\n");
  CHECK(findings(kOffloaded + "SWAP_LAUNCH_LOAD(s0,m0) BWD(s0,m0)") ==
        "rank 0 slot 3 SWAP_LAUNCH_LOAD(s0,m0): is never waited for: there is no "
        "SWAP_WAIT_LOAD(s0,m0) behind it\n"
        "rank 0 slot 4 BWD(s0,m0): runs before SWAP_WAIT_LOAD(s0,m0)\n");
  CHECK(findings("FWD(s0,m0) SWAP_LAUNCH_OFFLOAD(s0,m0) FWD(s0,m1) BWD(s0,m1) BWD(s0,m0)") ==
        "rank 0 slot 1 SWAP_LAUNCH_OFFLOAD(s0,m0): is never waited for: there is no "
        "SWAP_WAIT_OFFLOAD(s0,m0) behind it\n"
        "rank 0 slot 4 BWD(s0,m0): runs before SWAP_WAIT_LOAD(s0,m0)\n");
}

const std::string kReload =
    "SWAP_LAUNCH_OFFLOAD(s0,m0) SWAP_WAIT_OFFLOAD(s0,m0) SWAP_LAUNCH_LOAD(s0,m0) "
    "SWAP_WAIT_LOAD(s0,m0)";

TEST_CASE("SWAP: an offload of what a backward has used up, whole or in part") {
  CHECK(findings("FWD(s0,m0) BWD(s0,m0) " + kReload) ==
        "rank 0 slot 2 SWAP_LAUNCH_OFFLOAD(s0,m0): the activations are used up by BWD(s0,m0) in "
        "slot 1\n");
  CHECK(findings("FWD(s0,m0) BWD_INPUT(s0,m0) " + kReload + " BWD_WEIGHT(s0,m0)") ==
        "rank 0 slot 2 SWAP_LAUNCH_OFFLOAD(s0,m0): the activations are used up by "
        "BWD_INPUT(s0,m0) in slot 1\n");
}

TEST_CASE("SWAP: an offload without a forward") {
  CHECK(findings(kReload + " BWD(s0,m0) FWD(s0,m1) BWD(s0,m1)") ==
        "rank 0: FWD(s0,m0) is missing\n"
        "rank 0 slot 0 SWAP_LAUNCH_OFFLOAD(s0,m0): runs before FWD(s0,m0)\n"
        "rank 0 slot 4 BWD(s0,m0): runs before FWD(s0,m0)\n");
}

TEST_CASE("SWAP: out of order, twice, and before the forward") {
  CHECK(findings("SWAP_LAUNCH_OFFLOAD(s0,m0) FWD(s0,m0) SWAP_WAIT_OFFLOAD(s0,m0) "
                 "SWAP_LAUNCH_LOAD(s0,m0) SWAP_WAIT_LOAD(s0,m0) BWD(s0,m0)") ==
        "rank 0 slot 0 SWAP_LAUNCH_OFFLOAD(s0,m0): runs before FWD(s0,m0)\n");
  CHECK(findings("FWD(s0,m0) SWAP_LAUNCH_OFFLOAD(s0,m0) SWAP_LAUNCH_LOAD(s0,m0) "
                 "SWAP_WAIT_LOAD(s0,m0) BWD(s0,m0)") ==
        "rank 0 slot 2 SWAP_LAUNCH_LOAD(s0,m0): there is no SWAP_WAIT_OFFLOAD(s0,m0) before it\n");
  CHECK(findings(kOffloaded +
                 "SWAP_WAIT_OFFLOAD(s0,m0) SWAP_LAUNCH_OFFLOAD(s0,m0) SWAP_LAUNCH_LOAD(s0,m0) "
                 "SWAP_WAIT_LOAD(s0,m0) BWD(s0,m0)") ==
        "rank 0 slot 3 SWAP_WAIT_OFFLOAD(s0,m0): is done in slot 2 already\n"
        "rank 0 slot 4 SWAP_LAUNCH_OFFLOAD(s0,m0): is done already\n");
}

}  // namespace
}  // namespace steptwin
