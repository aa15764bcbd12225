#include "model/formats/torch_fit.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"

namespace steptwin {
namespace {

using Losses = std::vector<std::string>;

struct Fitted {
  std::string steps;
  Losses losses;
};

Fitted fitted(const std::string& steps, TorchLevel level) {
  const TorchFit fit = fit_to_torch(read_steps(steps, "f"), level);
  return {steps_text(fit.schedule), fit.losses};
}

Fitted compute_only(const std::string& steps) {
  return fitted(steps, TorchLevel::compute_only);
}
Fitted compute_comms(const std::string& steps) {
  return fitted(steps, TorchLevel::compute_comms);
}

TEST_CASE("computing and bubbles are what compute_only is made of") {
  const std::string text =
      "rank0: FWD(s0,m0) - OVERLAP_F_B[FWD(s0,m1)|BWD_INPUT(s0,m0)] BWD_WEIGHT(s0,m0) BWD(s0,m1)\n";
  CHECK(compute_only(text).steps == text);
  CHECK(compute_only(text).losses.empty());
}

TEST_CASE("transfers and FSDP steps are what compute_comms adds, and bubbles what it has not") {
  const std::string text =
      "rank0: FSDP_UNSHARD(s0) FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0) "
      "FSDP_REDUCE_GRAD(s0) FSDP_RESHARD(s0)\n"
      "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";
  CHECK(compute_comms(text).steps == text);
  CHECK(compute_comms(text).losses.empty());
  const Fitted bare = compute_only(text);
  CHECK(bare.steps == "rank0: FWD(s0,m0) BWD(s0,m0)\nrank1: FWD(s1,m0) BWD(s1,m0)\n");
  CHECK(bare.losses == Losses{"4 transfer steps left out", "3 FSDP steps left out"});

  const Fitted dense = compute_comms("rank0: FWD(s0,m0) - - BWD(s0,m0) -\n");
  CHECK(dense.steps == "rank0: FWD(s0,m0) BWD(s0,m0)\n");
  CHECK(dense.losses == Losses{"3 bubbles left out"});
}

TEST_CASE("copies of the model: their stages are written, and that they are copies is lost") {
  const std::string text =
      "rank0: FWD(s0,m0) FWD(s3,m1) BWD(s3,m1) BWD(s0,m0)\n"
      "rank1: FWD(s2,m1) FWD(s1,m0) BWD(s1,m0) BWD(s2,m1)\n";
  CHECK(compute_only(text).steps == text);
  CHECK(compute_only(text).losses ==
        Losses{"2 copies of the model written as one, whose stages PyTorch takes to follow each "
               "other"});
}

TEST_CASE("a batch becomes its transfers, a boundary goes behind its overlap") {
  const std::string text =
      "rank0: FWD(s0,m0) BATCH_SEND_RECV[FWD_SEND(s0,m0)|BWD_RECV(s0,m0)] FWD(s0,m1)\n"
      "rank1: FWD(s1,m0) OVERLAP_B_F[BWD(s1,m0)|FWD(s1,m1)]{FWD_RECV(s1,m2)|BWD_RECV(s1,m1)} "
      "BWD_SEND(s1,m0)\n";
  const Fitted comms = compute_comms(text);
  CHECK(comms.steps ==
        "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) FWD(s0,m1)\n"
        "rank1: FWD(s1,m0) OVERLAP_F_B[FWD(s1,m1)|BWD(s1,m0)] FWD_RECV(s1,m2) BWD_RECV(s1,m1) "
        "BWD_SEND(s1,m0)\n");
  CHECK(comms.losses ==
        Losses{"1 batch taken apart", "1 boundary_p2p put behind the overlap",
               "1 OVERLAP_B_F written as OVERLAP_F_B",
               "1 step of a micro-batch that no forward runs, which is read leniently"});
  const Fitted bare = compute_only(text);
  CHECK(bare.steps ==
        "rank0: FWD(s0,m0) FWD(s0,m1)\nrank1: FWD(s1,m0) OVERLAP_F_B[FWD(s1,m1)|BWD(s1,m0)]\n");
  CHECK(bare.losses == Losses{"5 transfer steps left out", "1 OVERLAP_B_F written as OVERLAP_F_B"});
}

TEST_CASE("DATA and SWAP steps are left out of both") {
  const std::string text =
      "rank0: DATA_LOAD(s0,m0) FWD(s0,m0) DATA_SEND(s0,m0) SWAP_LAUNCH_OFFLOAD(s0,m0) "
      "SWAP_WAIT_LOAD(s0,m0) BWD(s0,m0) SWAP_WAIT_OFFLOAD(s0,m0)\n";
  for (const TorchLevel level : {TorchLevel::compute_only, TorchLevel::compute_comms}) {
    const Fitted fit = fitted(text, level);
    CHECK(fit.steps == "rank0: FWD(s0,m0) BWD(s0,m0)\n");
    CHECK(fit.losses == Losses{"2 DATA steps left out", "3 SWAP steps left out"});
  }
}

TEST_CASE("what only a lenient reader takes, or another dialect's, is said") {
  CHECK(compute_only("rank0: FWD(s0,m0)\nrank1:\n").losses ==
        Losses{"1 rank without steps, a blank line that is read leniently"});
  CHECK(compute_comms("rank0: FWD(s0,m0)\nrank1: - -\nrank2:\n").losses ==
        Losses{"2 bubbles left out", "2 ranks without steps, a blank line that is read leniently"});
  CHECK(compute_only("rank0: FWD(s0,m0) BWD(s0,m0) BWD_WEIGHT(s0,m0)\n").losses ==
        Losses{"1 BWD_WEIGHT and no BWD_INPUT, which is read as the old dialect"});
}

}  // namespace
}  // namespace steptwin
