#include "tests/model/formats/bad_scenario.h"

namespace steptwin {
namespace {

// The longest duration is 1e15 ns, a million seconds: at 1 B/s it moves 1 MB.
const std::string kTooLong = "takes longer than the longest duration, 1000000000000 us";

TEST_CASE("a transfer that would take too long is an error of the bandwidth") {
  const std::string output = "output_bytes = [1000001, 0]\n";
  check_errors(
      kStageScenario,
      {{10, output + "[network]\np2p_bandwidth = \"1B/s\"", 12, 17,
        "network.p2p_bandwidth is \"1B/s\": a transfer of 1000001B " + kTooLong,
        "a larger bandwidth, or fewer bytes"},
       {10, output + "[network]\ndevices_per_node = 2\nintra_node = { bandwidth = \"1B/s\" }", 13,
        28, "network.intra_node.bandwidth is \"1B/s\": a transfer of 1000001B " + kTooLong,
        "a larger bandwidth"},
       {10,
        output + "[network]\ndevices_per_node = 1\np2p_bandwidth = \"1B/s\"\n"
                 "intra_node = { latency_us = 1 }",
        13, 17, "network.p2p_bandwidth is \"1B/s\": a transfer of 1000001B " + kTooLong,
        "a larger bandwidth"}});
}

TEST_CASE("an all-to-all that would take too long is one too") {
  // Of two peers each hands out half of its bytes.
  const std::string link = "[parallel]\nexpert = 2\n[network]\np2p_bandwidth = \"1B/s\"";
  for (const std::string part : {"dispatch", "combine"}) {
    ScenarioLines lines = kLayersScenario;
    lines[part == "dispatch" ? 8 : 9] = part + "_bytes = 2000002";
    check_errors(lines,
                 {{11, link, 14, 17,
                   "network.p2p_bandwidth is \"1B/s\": an all-to-all of 1000001B " + kTooLong,
                   "a larger bandwidth, or fewer bytes"}});
  }
}

TEST_CASE("what no transfer goes over may be as slow as it likes") {
  const auto reads = [](const std::string& keys) {
    return !error_of(text_of(kStageScenario, 10, keys)).has_value();
  };
  // Exactly as long as may be; what the last stage puts out stays there.
  CHECK(reads("output_bytes = [1000000, 0]\n[network]\np2p_bandwidth = \"1B/s\""));
  CHECK(reads("output_bytes = [0, 1000001]\n[network]\np2p_bandwidth = \"1B/s\""));
  // Every rank is a node of its own.
  CHECK(
      reads("output_bytes = 1000001\n[network]\ndevices_per_node = 1\n"
            "intra_node = { bandwidth = \"1B/s\" }"));
  // Both ranks are on one.
  CHECK(reads("output_bytes = 1000001\n[network]\ninter_node = { bandwidth = \"1B/s\" }"));
}

// 8 micro-batches of 2 stages of 3 * 10^14 ns and transfers of 0: 4.8 * 10^15 ns.
TEST_CASE("what contention may make of the durations must be expressible too") {
  ScenarioLines lines = kStageScenario;
  for (const std::size_t line : {6, 7, 8}) {
    lines[line] = lines[line].substr(0, lines[line].find('=')) + "= 1e11";
  }
  const auto reads = [&](const std::string& keys) {
    return !error_of(text_of(lines, 10, "[contention]\n" + keys)).has_value();
  };
  CHECK(reads("comm_loss = 0.998"));
  CHECK(reads("compute_loss = 0.998"));
  CHECK_FALSE(reads("comm_loss = 0.999"));
  CHECK_FALSE(reads("compute_loss = 0.999"));
}

TEST_CASE("the override that makes a transfer too long is named") {
  const auto error = error_of(text_of(kStageScenario, 10, "output_bytes = \"1GB\""),
                              {"network.p2p_bandwidth=1B/s"});
  REQUIRE(error.has_value());
  CHECK(std::string(error->what()) ==
        "--set network.p2p_bandwidth: error: network.p2p_bandwidth is \"1B/s\": a transfer of "
        "1000000000B takes longer than the longest duration, 1000000000000 us; expected a larger "
        "bandwidth, or fewer bytes");
}

}  // namespace
}  // namespace steptwin
