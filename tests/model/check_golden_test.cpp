#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/check.h"
#include "model/formats/recognise.h"

// What the checks say of recorded schedules.
namespace steptwin {
namespace {

std::filesystem::path golden_folder() {
  const char* source = std::getenv("STEPTWIN_SOURCE");
  REQUIRE_MESSAGE(source != nullptr, "STEPTWIN_SOURCE is not set");
  return std::filesystem::path(source) / "tests/data/golden";
}

std::string findings_in(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  REQUIRE(stream.good());
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  std::string text;
  for (const Finding& finding : check_schedule(read_schedule(content, path.string()))) {
    text += finding_text(finding) + "\n";
  }
  return text;
}

// Between two ranks of two stages boundary transfers pass each other at one end only.
TEST_CASE("recorded lists are sound, FSDP and SWAP steps too; boundaries of two ranks are not") {
  std::vector<std::string> unsound;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder() / "steps")) {
    if (!findings_in(entry.path()).empty()) unsound.push_back(entry.path().filename().string());
  }
  std::sort(unsound.begin(), unsound.end());
  CHECK(unsound == std::vector<std::string>{"inter_ovlbf_pp2_vpp2_mb4.boundary.predata.txt",
                                            "inter_ovlbf_pp2_vpp2_mb8.boundary.predata.txt"});
  CHECK(findings_in(golden_folder() / "steps" / unsound[0]) ==
        "rank 0 slot 14 BWD_RECV(s2,m1): is receive 3 from rank 1, whose send 3 is FWD_SEND(s1,m2) "
        "in slot 12\n"
        "rank 1 slot 12 BWD_RECV(s1,m0): is receive 5 from rank 0, whose send 5 is FWD_SEND(s0,m3) "
        "in slot 14\n");
}

// Its last rank begins with micro-batch 1, and numbers the forwards one too high to its end.
TEST_CASE(
    "the order in which the last rank leaves micro-batch 0 out is rejected, and it is named") {
  CHECK(findings_in(golden_folder() / "torch/1F1B_torchIR_lastrank_bug_pp2_mb4.compute_only.csv") ==
        "rank 0: FWD(s0,m4) is missing\n"
        "rank 0: BWD(s0,m4) is missing\n"
        "rank 1: FWD(s1,m0) is missing\n"
        "rank 1: BWD(s1,m4) is missing\n"
        "rank 1 slot 2 BWD(s1,m0): runs before FWD(s1,m0)\n");
  const std::string larger =
      findings_in(golden_folder() / "torch/1F1B_torchIR_lastrank_bug_pp4_mb8.compute_only.csv");
  CHECK(larger.find("rank 3: FWD(s3,m0) is missing\n") != std::string::npos);
  CHECK(larger.find("BWD(s3,m0): runs before FWD(s3,m0)\n") != std::string::npos);
}

}  // namespace
}  // namespace steptwin
