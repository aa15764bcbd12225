#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <sstream>

#include "tests/cli/refused.h"
#include "tests/cli/run_program.h"

namespace steptwin {
namespace {

// One key of a section with a value that is wrong.
struct BadKey {
  std::string section;
  std::string key;
  std::string value;
  std::string wrong;     // after "section.key"
  std::string expected;  // how what was expected begins
  int column_in_value = 0;
};

const std::string kHours = "a number from 0 to 1000000000000";
const std::string kBytes = "bytes from 0 to 2^62, or a text like \"64MiB\"";
const std::string kRate = "a text like \"50GB/s\", \"400Gbit/s\" or \"inf\"";
const std::string kStream = "the name of a stream: letters, digits, '_', '-' and '.', at most 64";
const std::string kFlag = "true or false";
const std::string kIdle = " has no effect because ";
const std::string kRemoved = "the key removed";
const std::string kLater = ", which is not available in this version";

const std::vector<BadKey> kBadKeys = {
    {"", "name", "7", " is 7", "a text of at most 256 bytes"},
    {"pipeline", "ranks", "0", " is 0", "a whole number from 1 to 65536"},
    {"pipeline", "ranks", "-1", " is -1", "a whole number from 1 to 65536"},
    {"pipeline", "ranks", "nan", " is nan", "a whole number from 1 to 65536"},
    {"pipeline", "ranks", "\"two\"", " is \"two\"", "a whole number from 1 to 65536"},
    {"pipeline", "chunks_per_rank", "1.5", " is 1.5", "a whole number from 1 to 1024"},
    {"pipeline", "micro_batches", "0", " is 0", "a whole number from 1 to 16777215"},
    {"pipeline", "micro_batches", "inf", " is inf", "a whole number from 1 to 16777215"},
    {"pipeline", "micro_batches", "99999999999", " is 99999999999",
     "a whole number from 1 to 16777215"},
    {"pipeline", "schedule", "\"2f2b\"", " is \"2f2b\"", "one of gpipe, 1f1b"},
    {"pipeline", "schedule_file", "7", " is 7", "the name of a file with a schedule"},
    {"pipeline", "stage_map", "\"w\"", " is \"w\"", "one of auto, loop, v"},
    {"pipeline", "stage_map", "[0]", " is a list of 1 value", "a list of 2, the rank of each"},
    {"pipeline", "stage_map", "[0, 5]", "[1] is 5", "a whole number from 0 to 1", 4},
    {"pipeline", "overlap", "\"bf\"", " is \"bf\"", "one of none, b_f, f_b; did you mean b_f?"},
    {"pipeline", "p2p", "\"plane\"", " is \"plane\"",
     "one of auto, plain, batch, boundary, multi_stream; did you mean plain?"},
    {"pipeline", "overlap_p2p", "1", " is 1", kFlag},
    {"pipeline", "split_backward", "1", " is 1", kFlag},
    {"pipeline", "less_memory", "\"yes\"", " is \"yes\"", kFlag},
    {"pipeline", "recv_placement", "\"soon\"", " is \"soon\"", "one of early, late"},
    {"pipeline", "memory_limit", "-0.5", " is -0.5", "a number from 0 to 16777215"},
    {"pipeline", "memory_limit", "2", kIdle + "schedule 1f1b obeys none",
     "the key removed, or pipeline.schedule = \"zb_heuristic\""},
    {"pipeline", "memory_limit", "nan", " is nan", "a number from 0 to 16777215"},
    {"pipeline", "data_steps", "[]", " is a list of 0 values", kFlag},
    {"overlap", "execution", "\"fibres\"", " is \"fibres\"", "one of threads, sequential"},
    {"overlap", "hooks", "0", " is 0", kFlag},
    {"overlap", "hooks", "false", kIdle + "pipeline.overlap is \"none\"", kRemoved},
    {"overlap", "depart", "\"\"", " is \"\"", kFlag},
    {"parallel", "expert", "0", " is 0", "a whole number from 1 to 65536"},
    {"parallel", "expert", "8", kIdle + "no layer is moe and all links are alike", kRemoved},
    {"parallel", "fold", "1", " is 1", kFlag},
    {"parallel", "fold", "false", kIdle + "parallel.expert is 1", kRemoved},
    {"parallel", "fsdp", "true", kIdle + "the peers share parameters out, and parallel.expert is 1",
     kRemoved},
    {"parallel", "fsdp", "1", " is 1", kFlag},
    {"parallel", "fsdp_window", "0", " is 0", "a whole number from 1 to 65536"},
    {"parallel", "fsdp_window", "2", kIdle + "parallel.fsdp is false", kRemoved},
    {"parallel", "offload", "1", " is 1", kFlag},
    {"parallel", "offload_min_gap", "2", " is 2", "a whole number from 3 to 16777215"},
    {"parallel", "offload_min_gap", "5", kIdle + "parallel.offload is false", kRemoved},
    {"stage", "forward_us", "-1", " is -1", kHours},
    {"stage", "forward_us", "nan", " is nan", kHours},
    {"stage", "forward_us", "1e300", " is 1e+300", kHours},
    {"stage", "forward_us", "[1, 2, 3]", " is a list of 3 values",
     "one value, or a list of 2, one per stage"},
    {"stage", "forward_us", "[1, inf]", "[1] is inf", kHours, 4},
    {"stage", "backward_input_us", "\"1ms\"", " is \"1ms\"", kHours},
    {"stage", "backward_weight_us", "true", " is true", kHours},
    {"stage", "activation_bytes", "-1", " is -1", kBytes},
    {"stage", "input_share", "1.5", " is 1.5", "a number from 0 to 1"},
    {"stage", "parameter_bytes", "\"4 gallons\"", " is \"4 gallons\"", kBytes},
    {"stage", "output_bytes", "1.5", " is 1.5", kBytes},
    {"stage", "outputs", "7", " is 7", "a list of 1 to 64 tensors"},
    {"stage", "outputs", "[]", " is a list of 0 values", "a list of 1 to 64 tensors"},
    {"stage", "outputs", "[{ bytes = -1 }]", "[0].bytes is -1", kBytes, 11},
    {"stage", "outputs", "[{ shape = [] }]", "[0].shape is a list of 0 values",
     "a list of 1 to 16 lengths", 11},
    {"stage", "outputs", "[{ shape = [3], batch_dim = 1 }]", "[0].batch_dim is 1",
     "a dimension of the shape, from 0 to 0, or -1 for none", 28},
    {"stage", "outputs", "[{ shape = [8, 3], batch_dim = 1 }]", "[0].shape[1] is 3",
     "a multiple of pipeline.micro_batches", 15},
    {"stage", "outputs", "[{ shape = [1000000000, 1000000000, 1000000000], batch_dim = -1 }]",
     "[0].shape is a list of 3 values", "at most 2^62 bytes", 11},
    {"data", "load_us", "-1", " is -1", kHours},
    {"data", "bytes", "\"many\"", " is \"many\"", kBytes},
    {"data", "bytes", "1", kIdle + "pipeline.data_steps is false", kRemoved},
    {"memory", "gradient_ratio", "-1", " is -1", "a number from 0 to 1000"},
    {"memory", "optimizer_ratio", "nan", " is nan", "a number from 0 to 1000"},
    {"network", "device_host", "3", " is 3", "a table"},
    {"stage", "file", "7", " is 7", "the name of a CSV file"},
    {"moe", "counts_exchange", "2", " is 2", kFlag},
    {"moe", "counts_exchange", "true", kIdle + "no layer is moe", kRemoved},
    {"network", "p2p_latency_us", "-3", " is -3", kHours},
    {"network", "p2p_bandwidth", "\"0GB/s\"", " is \"0GB/s\"", kRate},
    {"network", "p2p_bandwidth", "5", " is 5", kRate},
    {"network", "intra_node", "3", " is 3", "a table"},
    {"network", "inter_node", "{ latency_us = -1 }", ".latency_us is -1", kHours, 15},
    {"network", "devices_per_node", "0", " is 0", "a whole number from 1 to 65536"},
    {"network", "devices_per_node", "4", kIdle + "all links are alike", kRemoved},
    {"network", "eager_bytes", "\"1KB/s\"", " is \"1KB/s\"", kBytes},
    {"host", "launch_us", "-5", " is -5", kHours},
    {"host", "event_us", "inf", " is inf", kHours},
    {"host", "rendezvous_us", "\"\"", " is \"\"", kHours},
    {"host", "wake_us", "1e13", " is 10000000000000.0", kHours},
    {"host", "fork_us", "2020-01-01", " is a date or time", kHours},
    {"host", "threads", "\"two\"", " is \"two\"", "one of free, one"},
    {"comm", "order", "\"steam\"", " is \"steam\"", "one of stream, data; did you mean stream?"},
    {"comm", "wait", "true", " is true", "one of on_use, at_launch"},
    {"comm", "wait", "\"at_launch\"", kIdle + "it is about collectives, and no layer is moe",
     kRemoved},
    {"streams", "preset", "\"three\"", " is \"three\"", "one of two, per_group"},
    {"streams", "ep", "1", " is 1", kStream},
    {"streams", "ep", "\"own\"", kIdle + "no layer is moe", kRemoved},
    {"streams", "p2p", "\"compute\"", " is \"compute\"",
     "another stream than that of the compute kernels"},
    {"streams", "p2p", "\"a b\"", " is \"a b\"", kStream},
    {"streams", "p2p_forward", "\"\\u001b[1m\"", " is \"\\x1b[1m\"", kStream},
    {"streams", "p2p_backward", "{}", " is a table", kStream},
    {"streams", "fsdp", "\",\"", " is \",\"", kStream},
    {"streams", "fsdp", "\"own\"", kIdle + "parallel.fsdp is false", kRemoved},
    {"streams", "data", "false", " is false", kStream},
    {"streams", "data", "\"own\"", kIdle + "pipeline.data_steps is false", kRemoved},
    {"contention", "share_ports", "\"yes\"", " is \"yes\"", kFlag},
    {"contention", "compute_loss", "1", " is 1", "a number from 0 to 0.999999999"},
    {"contention", "comm_loss", "-1", " is -1", "a number from 0 to 0.999999999"},
    {"contention", "while_waiting", "false", kIdle + "contention.compute_loss is 0", kRemoved},
    {"contention", "host_cores", "-4", " is -4", "a whole number from 0 to 65536"},
    {"noise", "seed", "2", kIdle + "nothing is drawn at random", kRemoved},
    {"noise", "seed", "-1", " is -1", "a whole number from 0"},
    {"noise", "compute_sigma", "nan", " is nan", "a number from 0 to 2"},
    {"noise", "straggler", "{ rank = 9 }", ".rank is 9", "a whole number from -1 to 1", 9},
    {"noise", "straggler", "{ rank = 1 }", kIdle + "its factor is 1", kRemoved},
    {"noise", "moe_imbalance", "0.1", kIdle + "no layer is moe", kRemoved},
};

// With [layers] in the place of [stage].
const std::vector<BadKey> kBadLayerKeys = {
    {"layers", "per_stage", "0", " is 0", "a whole number from 1 to"},
    {"layers", "per_stage", "[\"moe\", \"lean\"]", "[1] is \"lean\"", "one of moe, dense", 8},
    {"layers", "attention_us", "1", " is 1", "a table"},
    {"layers", "experts_us", "{ forward = -1, backward_input = 1, backward_weight = 1 }",
     ".forward is -1", kHours, 12},
    {"layers", "dispatch_us", "{ forward = 1 }", ".backward is missing", "a duration"},
    {"layers", "dispatch_bytes", "\"many\"", " is \"many\"", kBytes},
    {"layers", "combine_us", "{ forward = 1, backward = nan }", ".backward is nan", kHours, 26},
    {"layers", "combine_bytes", "-1", " is -1", kBytes},
    {"layers", "counts_us", "{ forward = 1 }", kIdle + "moe.counts_exchange is false", kRemoved},
    {"layers", "counts_us", "[]", " is a list of 0 values", "a table"},
    {"layers", "counts_bytes", "true", " is true", kBytes},
    {"layers", "mlp_us", "\"5\"", " is \"5\"", "a table"},
    {"layers", "mlp_us", "{ forward = 1, backward_input = 1, backward_weight = 1 }",
     kIdle + "no layer is dense", kRemoved},
    {"layers", "embedding_us", "{}", ".forward is missing", "a duration"},
    {"layers", "head_us", "0", " is 0", "a table"},
    {"layers", "launches", "{ experts = 0 }", ".experts is 0", "a whole number from 1 to", 12},
    {"layers", "launches", "{ mlp = 2 }", ".mlp" + kIdle + "no layer is dense", kRemoved, 8},
    {"layers", "output_bytes", "\"1GB/s\"", " is \"1GB/s\"", kBytes},
};

struct Line {
  std::string section;
  std::string key;
  std::string value;
};
using Lines = std::vector<Line>;

const Lines kStageLines = {
    {"pipeline", "ranks", "2"},           {"pipeline", "micro_batches", "4"},
    {"pipeline", "schedule", "\"1f1b\""}, {"stage", "forward_us", "10"},
    {"stage", "backward_input_us", "10"}, {"stage", "backward_weight_us", "10"},
};
const Lines kLayerLines = {
    {"pipeline", "ranks", "2"},
    {"pipeline", "micro_batches", "4"},
    {"pipeline", "schedule", "\"1f1b\""},
    {"layers", "per_stage", "1"},
    {"layers", "attention_us", "{ forward = 1, backward_input = 1, backward_weight = 1 }"},
    {"layers", "experts_us", "{ forward = 1, backward_input = 1, backward_weight = 1 }"},
    {"layers", "dispatch_us", "{ forward = 1, backward = 1 }"},
    {"layers", "combine_us", "{ forward = 1, backward = 1 }"},
};

// The scenario with one key set anew, which stands on `line`.
std::string scenario_with(Lines lines, const BadKey& bad, int& line) {
  const auto other_form = [&bad](const Line& one) {
    const std::string bytes = one.key.substr(0, one.key.rfind('_')) + "_bytes";
    const bool other_schedule = one.key == "schedule" && bad.key == "schedule_file";
    return one.section == bad.section && (one.key == bad.key || bytes == bad.key || other_schedule);
  };
  std::erase_if(lines, other_form);
  lines.push_back({bad.section, bad.key, bad.value});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.section < b.section; });
  std::string text;
  std::string section;
  int number = 0;
  for (const Line& one : lines) {
    if (one.section != section) {
      text += "[" + one.section + "]\n";
      ++number;
      section = one.section;
    }
    text += one.key + " = " + one.value + "\n";
    ++number;
    if (one.section == bad.section && one.key == bad.key) line = number;
  }
  return text;
}

void check_bad_keys(const Lines& lines, const std::vector<BadKey>& cases) {
  const TemporaryFolder folder;
  for (const BadKey& bad : cases) {
    int line = 0;
    const std::string text = scenario_with(lines, bad, line);
    const std::string name = bad.section.empty() ? bad.key : bad.section + "." + bad.key;
    CAPTURE(name);
    CAPTURE(bad.value);
    const std::size_t column = bad.key.size() + std::string(" = ").size() + 1 +
                               static_cast<std::size_t>(bad.column_in_value);
    check_refused(folder, text,
                  "s.toml:" + std::to_string(line) + ":" + std::to_string(column) +
                      ": error: " + name + bad.wrong + "; expected " + bad.expected);
  }
}

TEST_CASE("every key of a scenario with a wrong value is refused at its place") {
  check_bad_keys(kStageLines, kBadKeys);
}

TEST_CASE("every key of [layers] with a wrong value is refused at its place") {
  check_bad_keys(kLayerLines, kBadLayerKeys);
}

// What a run folder writes out is every key there is.
TEST_CASE("no key is missing in the cases above") {
  std::set<std::string> covered;
  for (const auto* cases : {&kBadKeys, &kBadLayerKeys}) {
    for (const BadKey& bad : *cases) covered.insert(bad.section + "." + bad.key);
  }
  const TemporaryFolder folder;
  std::size_t keys = 0;
  for (const std::string file : {"pipeline_1f1b.toml", "moe_overlap_hooks.toml"}) {
    const std::string out = (folder / file).string();
    REQUIRE(run_program({"simulate", scenario_path(file), "--out", out}).status == 0);
    std::istringstream lines(text_of_file(out + "/scenario.toml"));
    std::string section;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('[')) section = line.substr(1, line.find(']') - 1);
      const std::size_t equals = line.find(" = ");
      if (equals == std::string::npos) continue;
      ++keys;
      CAPTURE(line);
      CHECK(covered.count(section + "." + line.substr(0, equals)) == 1);
    }
  }
  CHECK(keys > 120);
}

}  // namespace
}  // namespace steptwin
