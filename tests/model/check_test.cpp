#include "model/check.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/formats/steps_text.h"
#include "model/schedules/schedules.h"
#include "tests/step_words.h"

namespace steptwin {
namespace {

// Two ranks, one stage each, one micro-batch: nothing to find.
const char* const kRank0 = "rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n";
const char* const kRank1 = "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)\n";

// The findings of lists written out, one a line. The map is a loop over the ranks.
std::string findings(const std::string& lists, std::int32_t stages = 2,
                     std::int32_t micro_batches = 1) {
  Schedule schedule;
  schedule.ranks = read_step_lists(lists, "test.steps");
  const auto ranks = static_cast<std::int32_t>(schedule.ranks.size());
  schedule.stages = loop_map(ranks, stages / ranks);
  schedule.micro_batches = micro_batches;
  std::string text;
  for (const Finding& finding : check_schedule(schedule)) text += finding_text(finding) + "\n";
  return text;
}

TEST_CASE("check: a right schedule has no findings, whole or divided, with bubbles") {
  CHECK(findings(std::string(kRank0) + kRank1) == "");
  CHECK(findings("rank0: FWD(s0,m0) FWD_SEND(s0,m0) - BWD_RECV(s0,m0) BWD_INPUT(s0,m0) "
                 "BWD_WEIGHT(s0,m0)\n" +
                 std::string(kRank1)) == "");
}

TEST_CASE("check: every built schedule passes") {
  for (const std::string_view name : schedule_names()) {
    ScheduleRequest request;
    request.ranks = 4;
    request.chunks_per_rank = std::max(1, chunks_prescribed(name));
    request.micro_batches = 8;
    request.forward_ns.assign(static_cast<std::size_t>(4 * request.chunks_per_rank), 1);
    request.backward_input_ns = request.backward_weight_ns = request.forward_ns;
    CAPTURE(std::string(name));
    CHECK(check_schedule(build_schedule(name, request)).empty());
    request.data_steps = true;
    CHECK(check_schedule(build_schedule(name, request)).empty());
  }
}

TEST_CASE("check: a list of compute steps only needs no transfers") {
  CHECK(findings("rank0: FWD(s0,m0) BWD(s0,m0)\nrank1: FWD(s1,m0) BWD(s1,m0)") == "");
}

TEST_CASE("check: work that is missing, done twice, or in the wrong order") {
  CHECK(findings("rank0: FWD(s0,m0)\nrank1: BWD(s1,m0)") ==
        "rank 0: BWD(s0,m0) is missing\n"
        "rank 1: FWD(s1,m0) is missing\n"
        "rank 1 slot 0 BWD(s1,m0): runs before FWD(s1,m0)\n");
  CHECK(findings("rank0: FWD(s0,m0) BWD_INPUT(s0,m0)\n"
                 "rank1: FWD(s1,m0) BWD_WEIGHT(s1,m0) BWD_INPUT(s1,m0)") ==
        "rank 0: BWD_WEIGHT(s0,m0) is missing\n"
        "rank 1 slot 1 BWD_WEIGHT(s1,m0): runs before BWD_INPUT(s1,m0)\n");
  CHECK(findings("rank0: FWD(s0,m0) - FWD(s0,m0) BWD(s0,m0) BWD(s0,m0)\n"
                 "rank1: FWD(s1,m0) BWD(s1,m0)") ==
        "rank 0 slot 2 FWD(s0,m0): is done in slot 0 already\n"
        "rank 0 slot 4 BWD(s0,m0): is done in slot 3 already\n");
}

TEST_CASE("check: neighbouring stages of one rank run in order") {
  CHECK(findings("rank0: FWD(s0,m0) FWD(s1,m0) BWD(s1,m0) BWD(s0,m0)") == "");
  CHECK(findings("rank0: FWD(s1,m0) FWD(s0,m0) BWD_INPUT(s0,m0) BWD(s1,m0) BWD_WEIGHT(s0,m0)") ==
        "rank 0 slot 0 FWD(s1,m0): runs before FWD(s0,m0)\n"
        "rank 0 slot 2 BWD_INPUT(s0,m0): runs before BWD(s1,m0)\n");
}

TEST_CASE("check: a backward does not overlap its own forward") {
  CHECK(findings("rank0: OVERLAP_F_B[FWD(s0,m0)|BWD(s0,m0)]", 1) ==
        "rank 0 slot 0 BWD(s0,m0): runs beside FWD(s0,m0)\n");
}

TEST_CASE("check: a backward may not be both whole and divided") {
  CHECK(findings("rank0: FWD(s0,m0) BWD(s0,m0) BWD_WEIGHT(s0,m0)\nrank1: FWD(s1,m0) BWD(s1,m0)") ==
        "rank 0 slot 2 BWD_WEIGHT(s0,m0): is done in slot 1 already\n");
}

TEST_CASE("check: steps of stages and micro-batches that are elsewhere or nowhere") {
  CHECK(findings(std::string(kRank0) + "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) "
                                       "BWD_SEND(s1,m0) FWD(s0,m0) FWD(s2,m0) FWD(s1,m1)") ==
        "rank 1 slot 4 FWD(s0,m0): stage 0 is held by rank 0\n"
        "rank 1 slot 5 FWD(s2,m0): there are stages 0 to 1 only\n"
        "rank 1 slot 6 FWD(s1,m1): there are micro-batches 0 to 0 only\n");
}

TEST_CASE("check: inside composites and boundaries too") {
  CHECK(findings("rank0: OVERLAP_B_F[BWD(s0,m0)|FWD(s0,m0)]\nrank1: FWD(s1,m0) BWD(s1,m0)") ==
        "rank 0 slot 0 BWD(s0,m0): runs before FWD(s0,m0)\n");
  CHECK(findings(std::string(kRank0) +
                 "rank1: FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) BATCH_SEND_RECV[BWD_SEND(s1,m0)]") ==
        "");
}

TEST_CASE("check: transfers lead to a neighbouring stage on another rank") {
  CHECK(findings("rank0: FWD(s0,m0) FWD(s1,m0) FWD_SEND(s0,m0) FWD_SEND(s1,m0) BWD(s1,m0) "
                 "BWD(s0,m0) BWD_SEND(s0,m0)") ==
        "rank 0 slot 2 FWD_SEND(s0,m0): stage 1 is on the same rank\n"
        "rank 0 slot 3 FWD_SEND(s1,m0): there is no stage 2\n"
        "rank 0 slot 6 BWD_SEND(s0,m0): there is no stage -1\n");
}

TEST_CASE("check: a send comes after what it sends, a receive before its consumer") {
  CHECK(findings("rank0: FWD_SEND(s0,m0) FWD(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n"
                 "rank1: FWD(s1,m0) FWD_RECV(s1,m0) BWD(s1,m0) BWD_SEND(s1,m0)") ==
        "rank 0 slot 0 FWD_SEND(s0,m0): sends what is not computed yet\n"
        "rank 1 slot 0 FWD(s1,m0): runs before FWD_RECV(s1,m0) is posted\n");
}

TEST_CASE("check: a transfer has both ends, and each once") {
  CHECK(findings("rank0: FWD(s0,m0) FWD_SEND(s0,m0) BWD(s0,m0)\n" + std::string(kRank1)) ==
        "rank 0: BWD_RECV(s0,m0) is missing\n"
        "rank 0 slot 2 BWD(s0,m0): runs before BWD_RECV(s0,m0) is posted\n");
  CHECK(findings("rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n" +
                 std::string(kRank1)) ==
        "rank 0 slot 2 FWD_SEND(s0,m0): is done in slot 1 already\n");
}

// Stages 0, 1 and, from the other end, their replicas 2, 3; micro-batch 0 in one copy, 1 in the
// other.
TEST_CASE("check: two copies of the model have nothing to do with each other") {
  const std::string right =
      "rank0: FWD(s0,m0) FWD_SEND(s0,m0) FWD_RECV(s3,m1) FWD(s3,m1) BWD(s3,m1) BWD_SEND(s3,m1) "
      "BWD_RECV(s0,m0) BWD(s0,m0)\n"
      "rank1: FWD(s2,m1) FWD_RECV(s1,m0) FWD_SEND(s2,m1) FWD(s1,m0) BWD(s1,m0) BWD_RECV(s2,m1) "
      "BWD_SEND(s1,m0) BWD(s2,m1)\n";
  const auto faults = [](const std::string& lists) {
    std::string text;
    const Schedule schedule{"", mirrored_map(2), 2, read_step_lists(lists, "test.steps")};
    for (const Finding& finding : check_schedule(schedule)) text += finding_text(finding) + "\n";
    return text;
  };
  CHECK(faults(right) == "");
  CHECK(faults(right + "\n") == "");
  std::string wrong = right;
  wrong.insert(wrong.find(" BWD(s3,m1)"), " FWD(s3,m0)");
  CHECK(faults(wrong) ==
        "rank 0 slot 4 FWD(s3,m0): the micro-batch runs through another copy of the model\n");
  wrong = right;
  wrong.insert(wrong.find(" BWD(s1,m0)"), " FWD_SEND(s1,m0)");
  CHECK(faults(wrong) ==
        "rank 1 slot 4 FWD_SEND(s1,m0): stage 2 is of another copy of the model\n");
  wrong = right;
  wrong.erase(wrong.find(" BWD(s2,m1)"), 11);
  CHECK(faults(wrong) == "rank 1: BWD(s2,m1) is missing\n");
}

// Rank 0 sends m0, m1; rank 1 receives m1, m0.
TEST_CASE("check: the k-th send and the k-th receive name the same tensor") {
  CHECK(findings("rank0: FWD(s0,m0) FWD(s0,m1) FWD_SEND(s0,m0) FWD_SEND(s0,m1) BWD_RECV(s0,m0) "
                 "BWD(s0,m0) BWD_RECV(s0,m1) BWD(s0,m1)\n"
                 "rank1: FWD_RECV(s1,m1) FWD_RECV(s1,m0) FWD(s1,m0) FWD(s1,m1) BWD(s1,m0) "
                 "BWD_SEND(s1,m0) BWD(s1,m1) BWD_SEND(s1,m1)",
                 2, 2) ==
        "rank 1 slot 0 FWD_RECV(s1,m1): is receive 0 from rank 0, whose send 0 is FWD_SEND(s0,m0) "
        "in slot 2\n");
}

// Raw inputs: rank 0 loads, the others receive what rank 0 sends.
TEST_CASE("check: raw inputs are sent and received, once and in one order, or not at all") {
  const auto with_data = [](const std::string& before_send, const std::string& before_receive) {
    return findings("rank0: FWD(s0,m0) FWD(s0,m1) " + before_send +
                        " FWD_SEND(s0,m0) FWD_SEND(s0,m1) BWD_RECV(s0,m0) BWD(s0,m0) "
                        "BWD_RECV(s0,m1) BWD(s0,m1)\nrank1: " +
                        before_receive +
                        " FWD_RECV(s1,m0) FWD_RECV(s1,m1) FWD(s1,m0) FWD(s1,m1) BWD(s1,m0) "
                        "BWD_SEND(s1,m0) BWD(s1,m1) BWD_SEND(s1,m1)",
                    2, 2);
  };
  CHECK(with_data("DATA_SEND(s0,m0) DATA_SEND(s0,m1)", "DATA_RECV(s1,m0) DATA_RECV(s1,m1)") == "");
  CHECK(with_data("DATA_SEND(s0,m0)", "DATA_RECV(s1,m0)") == "");
  CHECK(with_data("DATA_SEND(s0,m1)", "-") ==
        "rank 0 slot 2 DATA_SEND(s0,m1): there is no DATA_RECV(s1,m1)\n");
  CHECK(with_data("-", "DATA_RECV(s1,m0)") ==
        "rank 1 slot 0 DATA_RECV(s1,m0): there is no DATA_SEND(s0,m0)\n");
  CHECK(with_data("DATA_SEND(s0,m0) DATA_SEND(s0,m0)", "DATA_RECV(s1,m0)") ==
        "rank 0 slot 3 DATA_SEND(s0,m0): is done in slot 2 already\n");
  CHECK(with_data("DATA_SEND(s0,m0) DATA_SEND(s0,m1)", "DATA_RECV(s1,m1) DATA_RECV(s1,m0)") ==
        "rank 1 slot 0 DATA_RECV(s1,m1): is data receive 0 from rank 0, whose send 0 is "
        "DATA_SEND(s0,m0) in slot 2\n");
  CHECK(with_data("DATA_RECV(s0,m0)", "DATA_SEND(s1,m0)") ==
        "rank 0 slot 2 DATA_RECV(s0,m0): there is no stage -1\n"
        "rank 1 slot 0 DATA_SEND(s1,m0): there is no stage 2\n");
}

TEST_CASE("check: raw inputs are loaded once, before the forward") {
  CHECK(findings("rank0: DATA_LOAD(s0,m0) FWD(s0,m0) BWD(s0,m0)", 1) == "");
  CHECK(findings("rank0: FWD(s0,m0) DATA_LOAD(s0,m0) BWD(s0,m0)", 1) ==
        "rank 0 slot 1 DATA_LOAD(s0,m0): comes behind FWD(s0,m0) in slot 0\n");
  CHECK(findings("rank0: DATA_LOAD(s0,m0) - DATA_LOAD(s0,m0) FWD(s0,m0) BWD(s0,m0)", 1) ==
        "rank 0 slot 2 DATA_LOAD(s0,m0): is done in slot 0 already\n");
}

TEST_CASE("check: raw inputs travel before the activations they go with") {
  CHECK(findings("rank0: FWD(s0,m0) FWD_SEND(s0,m0) DATA_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n"
                 "rank1: DATA_RECV(s1,m0) FWD_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) "
                 "BWD_SEND(s1,m0)") ==
        "rank 0 slot 2 DATA_SEND(s0,m0): comes behind FWD_SEND(s0,m0) in slot 1\n");
  CHECK(findings("rank0: FWD(s0,m0) DATA_SEND(s0,m0) FWD_SEND(s0,m0) BWD_RECV(s0,m0) BWD(s0,m0)\n"
                 "rank1: FWD_RECV(s1,m0) DATA_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) "
                 "BWD_SEND(s1,m0)") ==
        "rank 1 slot 1 DATA_RECV(s1,m0): comes behind FWD_RECV(s1,m0) in slot 0\n");
}

TEST_CASE("check: raw inputs stay on a rank without a transfer") {
  CHECK(findings("rank0: FWD(s0,m0) DATA_SEND(s0,m0) DATA_RECV(s1,m0) FWD(s1,m0) BWD(s1,m0) "
                 "BWD(s0,m0)") ==
        "rank 0 slot 1 DATA_SEND(s0,m0): stage 1 is on the same rank\n"
        "rank 0 slot 2 DATA_RECV(s1,m0): stage 0 is on the same rank\n");
}

TEST_CASE("a finding's text names its place, as far as it has one") {
  CHECK(finding_text({1, 12, "BWD(s1,m0)", "runs before FWD(s1,m0)"}) ==
        "rank 1 slot 12 BWD(s1,m0): runs before FWD(s1,m0)");
  CHECK(finding_text({2, -1, "", "FWD(s2,m0) is missing"}) == "rank 2: FWD(s2,m0) is missing");
}

}  // namespace
}  // namespace steptwin
