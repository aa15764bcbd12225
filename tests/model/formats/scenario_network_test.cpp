#include "tests/model/formats/bad_scenario.h"

namespace steptwin {
namespace {

const std::string kDurations = "a number from 0 to 1000000000000";
const std::string kBandwidths = "a text like \"50GB/s\", \"400Gbit/s\" or \"inf\"";

TEST_CASE("network") {
  check_errors(
      kStageScenario,
      {
          {10, "[network]\np2p_latency_us = -1", 11, 18, "network.p2p_latency_us is -1",
           kDurations},
          {10, "[network]\np2p_latency_us = inf", 11, 18, "network.p2p_latency_us is inf",
           kDurations},
          {10, "[network]\np2p_latency_us = \"3us\"", 11, 18, "network.p2p_latency_us is \"3us\"",
           kDurations},
          {10, "[network]\np2p_bandwidth = 5", 11, 17, "network.p2p_bandwidth is 5", kBandwidths},
          {10, "[network]\np2p_bandwidth = \"5\"", 11, 17, "network.p2p_bandwidth is \"5\"",
           kBandwidths},
          {10, "[network]\np2p_bandwidth = \"0GB/s\"", 11, 17, "network.p2p_bandwidth is \"0GB/s\"",
           kBandwidths},
          {10, "[network]\np2p_bandwidth = \"-5GB/s\"", 11, 17,
           "network.p2p_bandwidth is \"-5GB/s\"", kBandwidths},
          {10, "[network]\np2p_bandwidth = \"nanGB/s\"", 11, 17,
           "network.p2p_bandwidth is \"nanGB/s\"", kBandwidths},
          {10, "[network]\np2p_bandwidth = \"1e999GB/s\"", 11, 17,
           "network.p2p_bandwidth is \"1e999GB/s\"", kBandwidths},
          {10, "[network]\np2p_bandwidth = nan", 11, 17, "network.p2p_bandwidth is nan",
           kBandwidths},
          {10, "[network]\np2p_bandwidth = -inf", 11, 17, "network.p2p_bandwidth is -inf",
           kBandwidths},
          {10, "[network]\nintra_node = \"nvlink\"", 11, 14, "network.intra_node is \"nvlink\"",
           "a table"},
          {10, "[network]\nintra_node = { latency = 3 }", 11, 16,
           "unknown key \"latency\" in [network.intra_node]", "did you mean latency_us?"},
          {10, "[network]\nintra_node = { latency_us = -3 }", 11, 29,
           "network.intra_node.latency_us is -3", kDurations},
          {10, "[network]\ninter_node = { bandwidth = \"fast\" }", 11, 28,
           "network.inter_node.bandwidth is \"fast\"", kBandwidths},
          {10, "[network.inter_node]\nlatency_us = true", 11, 14,
           "network.inter_node.latency_us is true", kDurations},
          {10, "[network]\ndevices_per_node = 0", 11, 20, "network.devices_per_node is 0",
           "a whole number from 1 to 65536"},
          {10, "[network]\ndevices_per_node = 8.0", 11, 20, "network.devices_per_node is 8.0",
           "a whole number"},
          {10, "[network]\neager_bytes = -1", 11, 15, "network.eager_bytes is -1", "bytes"},
          {10, "[network]\neager_bytes = \"x\"", 11, 15, "network.eager_bytes is \"x\"", "bytes"},
          {10, "[network]\np2p_bandwith = \"inf\"", 11, 1,
           "unknown key \"p2p_bandwith\" in [network]", "did you mean p2p_bandwidth?"},
      });
}

TEST_CASE("host and comm") {
  check_errors(
      kStageScenario,
      {
          {10, "[host]\nlaunch_us = -0.1", 11, 13, "host.launch_us is -0.1", kDurations},
          {10, "[host]\nlaunch_ms = 1e10", 11, 13, "host.launch_ms is 10000000000.0",
           "a number from 0 to 1000000000"},
          {10, "[host]\nevent_us = nan", 11, 12, "host.event_us is nan", kDurations},
          {10, "[host]\nrendezvous_us = \"5\"", 11, 17, "host.rendezvous_us is \"5\"", kDurations},
          {10, "[host]\nwake_us = 1e16", 11, 11, "host.wake_us is 1e+16", kDurations},
          {10, "[host]\nfork_us = [1]", 11, 11, "host.fork_us is a list of 1 value", kDurations},
          {10, "[host]\nthreads = 1", 11, 11, "host.threads is 1", "one of free, one"},
          {10, "[host]\nthreads = \"fre\"", 11, 11, "host.threads is \"fre\"",
           "did you mean free?"},
          {10, "[host]\nlaunch = 5", 11, 1, "unknown key \"launch\" in [host]",
           "did you mean launch_us?"},
          {10, "[comm]\norder = \"steam\"", 11, 9, "comm.order is \"steam\"",
           "one of stream, data; did you mean stream?"},
          {10, "[comm]\nwait = false", 11, 8, "comm.wait is false", "one of on_use, at_launch"},
          {10, "[comm]\nwiat = \"on_use\"", 11, 1, "unknown key \"wiat\" in [comm]",
           "did you mean wait?"},
      });
}

TEST_CASE("streams") {
  const std::string name = "letters, digits, '_', '-' and '.', at most 64";
  check_errors(
      kStageScenario,
      {
          {10, "[streams]\npreset = \"three\"", 11, 10, "streams.preset is \"three\"",
           "one of two, per_group, per_direction, multi_stream, per_edge, unqueued"},
          {10, "[streams]\npreset = 2", 11, 10, "streams.preset is 2", "one of two"},
          {10, "[streams]\nep = 1", 11, 6, "streams.ep is 1", name},
          {10, "[streams]\np2p = \"a b\"", 11, 7, "streams.p2p is \"a b\"", name},
          {10, "[streams]\np2p_forward = \"a,b\"", 11, 15, "streams.p2p_forward is \"a,b\"", name},
          {10, "[streams]\np2p_backward = \"\\n\"", 11, 16, "streams.p2p_backward is \"\\x0a\"",
           name},
          {10, "[streams]\nfsdp = \"" + std::string(65, 's') + "\"", 11, 8,
           "streams.fsdp is \"" + std::string(32, 's') + "\"...", name},
          {10, "[streams]\ndata = []", 11, 8, "streams.data is a list of 0 values", name},
          {10, "[streams]\np2p_forwards = \"x\"", 11, 1,
           "unknown key \"p2p_forwards\" in [streams]", "did you mean p2p_forward?"},
      });
}

TEST_CASE("overlap, parallel and moe") {
  check_errors(
      kStageScenario,
      {
          {10, "[overlap]\nexecution = \"thread\"", 11, 13, "overlap.execution is \"thread\"",
           "one of threads, sequential; did you mean threads?"},
          {10, "[overlap]\nhooks = \"A\"", 11, 9, "overlap.hooks is \"A\"", "true or false"},
          {10, "[overlap]\ndepart = 1", 11, 10, "overlap.depart is 1", "true or false"},
          {10, "[overlap]\nhook = true", 11, 1, "unknown key \"hook\" in [overlap]",
           "did you mean hooks?"},
          {10, "[parallel]\nexpert = 0", 11, 10, "parallel.expert is 0",
           "a whole number from 1 to 65536"},
          {10, "[parallel]\nexpert = \"8\"", 11, 10, "parallel.expert is \"8\"", "a whole number"},
          {10, "[parallel]\nfold = 1", 11, 8, "parallel.fold is 1", "true or false"},
          {10, "[parallel]\nfsdp_window = 0", 11, 15, "parallel.fsdp_window is 0",
           "a whole number from 1 to 65536"},
          {10, "[parallel]\nfsdp = 0", 11, 8, "parallel.fsdp is 0", "true or false"},
          {10, "[parallel]\noffload = \"\"", 11, 11, "parallel.offload is \"\"", "true or false"},
          {10, "[parallel]\noffload_min_gap = -1", 11, 19, "parallel.offload_min_gap is -1",
           "a whole number from 3 to 16777215"},
          {10, "[parallel]\nexperts = 8", 11, 1, "unknown key \"experts\" in [parallel]",
           "did you mean expert?"},
          {10, "[moe]\ncounts_exchange = 1", 11, 19, "moe.counts_exchange is 1", "true or false"},
          {10, "[moe]\ncount_exchange = true", 11, 1, "unknown key \"count_exchange\" in [moe]",
           "did you mean counts_exchange?"},
      });
}

TEST_CASE("contention") {
  const std::string losses = "a number from 0 to 0.999999999";
  check_errors(
      kStageScenario,
      {
          {10, "[contention]\nshare_ports = 1", 11, 15, "contention.share_ports is 1",
           "true or false"},
          {10, "[contention]\ncompute_loss = 2", 11, 16, "contention.compute_loss is 2", losses},
          {10, "[contention]\ncompute_loss = 1.0", 11, 16, "contention.compute_loss is 1.0",
           losses},
          {10, "[contention]\ncompute_loss = -0.1", 11, 16, "contention.compute_loss is -0.1",
           losses},
          {10, "[contention]\ncomm_loss = 1", 11, 13, "contention.comm_loss is 1", losses},
          {10, "[contention]\ncomm_loss = nan", 11, 13, "contention.comm_loss is nan", losses},
          {10, "[contention]\nwhile_waiting = 0", 11, 17, "contention.while_waiting is 0",
           "true or false"},
          {10, "[contention]\nhost_cores = 1.5", 11, 14, "contention.host_cores is 1.5",
           "a whole number"},
          {10, "[contention]\nhost_cores = -1", 11, 14, "contention.host_cores is -1",
           "a whole number from 0"},
          {10, "[contention]\nhost_core = 0", 11, 1, "unknown key \"host_core\" in [contention]",
           "did you mean host_cores?"},
      });
  const Scenario scenario = read_scenario(
      text_of(kStageScenario, 10,
              "[contention]\nshare_ports = true\ncompute_loss = 0.25\ncomm_loss = 0.999999999\n"
              "while_waiting = false\nhost_cores = 6\n[network]\neager_bytes = \"8KiB\"\n"
              "devices_per_node = 3"),
      "s.toml");
  CHECK(scenario.contention.share_ports);
  CHECK(scenario.contention.compute_loss == 0.25);
  CHECK(scenario.contention.comm_loss == 0.999999999);
  CHECK_FALSE(scenario.contention.while_waiting);
  CHECK(scenario.contention.host_cores == 6);
  CHECK(scenario.network.eager_bytes == 8192);
}

TEST_CASE("folded peers share cores alike only where they fill machines evenly") {
  const auto keys = [](int peers, int per_node) {
    return "[parallel]\nexpert = " + std::to_string(peers) +
           "\n[network]\ndevices_per_node = " + std::to_string(per_node) +
           "\n[contention]\nhost_cores = 4";
  };
  for (const auto& [peers, per_node] : {std::pair(2, 8), {8, 2}, {4, 4}, {1, 3}}) {
    CHECK_FALSE(error_of(text_of(kLayersScenario, 11, keys(peers, per_node))).has_value());
  }
  // Not folded, each has its share of the cores of its own machine.
  CHECK_FALSE(error_of(text_of(kLayersScenario, 11, keys(3, 8)), {"parallel.fold=false"}));
  check_errors(
      kLayersScenario,
      {{11, keys(3, 8), 16, 14,
        "contention.host_cores is 4: with 3 peers to a rank and 8 devices to a machine, peers "
        "of one rank share cores with more others than the rest",
        "parallel.expert and network.devices_per_node of which one divides the other"}});
}

TEST_CASE("sections that this version cannot honour") {
  const std::string not_here = ", which is not available in this version";
  check_errors(
      kStageScenario,
      {
          {10, "[model]\npreset = \"deepseek-v3\"", 10, 1,
           "[model] is not available in this version", "[stage] or [layers]"},
          {10, "[cluster]\npreset = \"h800\"", 10, 1, "[cluster] is not available in this version",
           "[network]"},
          {10, "[noise]\nseed = -1", 11, 8, "noise.seed is -1", "a whole number from 0"},
          {10, "[noise]\nseed = \"x\"", 11, 8, "noise.seed is \"x\"", "a whole number from 0"},
          {10, "[noise]\ncompute_sigma = 2.1", 11, 17, "noise.compute_sigma is 2.1",
           "a number from 0 to 2"},
          {10, "[noise]\nmoe_imbalance = nan", 11, 17, "noise.moe_imbalance is nan", "a number"},
          {10, "[noise]\nstraggler = { rank = 99, factor = 1.5 }", 11, 22,
           "noise.straggler.rank is 99", "a whole number from -1 to"},
          {10, "[noise]\nstraggler = { factor = -1.5 }", 11, 24, "noise.straggler.factor is -1.5",
           "a number from 0 to 1000"},
          {10, "[noise]\nstraggler = { ranks = 1 }", 11, 15,
           "unknown key \"ranks\" in [noise.straggler]", "did you mean rank?"},
          {10, "[noise]\nseeds = 1", 11, 1, "unknown key \"seeds\" in [noise]",
           "did you mean seed?"},
      });
}

TEST_CASE("neutral values of what this version cannot honour are accepted") {
  const std::string neutral = text_of(kStageScenario, 10,
                                      "[contention]\nshare_ports = false\ncompute_loss = 0.0\n"
                                      "comm_loss = 0\nwhile_waiting = true\nhost_cores = 0\n"
                                      "[noise]\nseed = 1\ncompute_sigma = 0\n"
                                      "straggler = { rank = -1, factor = 1.0 }\n"
                                      "moe_imbalance = 0.0\n"
                                      "[parallel]\nexpert = 1\nfold = true\nfsdp = false\n"
                                      "offload = false\noffload_min_gap = 4\n"
                                      "[network]\neager_bytes = \"0B\"\n");
  CHECK_FALSE(error_of(neutral).has_value());
}

}  // namespace
}  // namespace steptwin
