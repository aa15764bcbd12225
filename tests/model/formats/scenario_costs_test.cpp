#include "tests/model/formats/bad_scenario.h"

namespace steptwin {
namespace {

const std::string kDurations = "a number from 0 to 1000000000000";

TEST_CASE("stage: times") {
  check_errors(
      kStageScenario,
      {
          {7, "forward_us = -1", 7, 14, "stage.forward_us is -1", kDurations},
          {7, "forward_us = -1e-9", 7, 14, "stage.forward_us is -1e-09", kDurations},
          {7, "forward_us = nan", 7, 14, "stage.forward_us is nan", kDurations},
          {7, "forward_us = inf", 7, 14, "stage.forward_us is inf", kDurations},
          {7, "forward_us = -inf", 7, 14, "stage.forward_us is -inf", kDurations},
          {7, "forward_us = 1e300", 7, 14, "stage.forward_us is 1e+300", kDurations},
          {7, "forward_us = 1000000000001", 7, 14, "stage.forward_us is 1000000000001", kDurations},
          {7, "forward_ms = 1000000001", 7, 14, "stage.forward_ms is 1000000001",
           "a number from 0 to 1000000000"},
          {7, "forward_us = \"10\"", 7, 14, "stage.forward_us is \"10\"", kDurations},
          {7, "forward_us = true", 7, 14, "stage.forward_us is true", kDurations},
          {7, "forward_us = [10]", 7, 14, "stage.forward_us is a list of 1 value",
           "one value, or a list of 2, one per stage"},
          {7, "forward_us = [10, 20, 30]", 7, 14, "stage.forward_us is a list of 3 values",
           "a list of 2"},
          {7, "forward_us = [10, nan]", 7, 19, "stage.forward_us[1] is nan", kDurations},
          {7, "forward_us = [[10, 20], 3]", 7, 15, "stage.forward_us[0] is a list of 2 values",
           kDurations},
          {7, "", 6, 1, "stage.forward_us is missing", "a duration for all stages"},
          {7, "forward_us = 1\nforward_ms = 1", 8, 14,
           "stage.forward_us and stage.forward_ms are both given", "one of them"},
          {8, "backward_input_us = {}", 8, 21, "stage.backward_input_us is a table", kDurations},
          {8, "backward_input_us = -0.5", 8, 21, "stage.backward_input_us is -0.5", kDurations},
          {8, "", 6, 1, "stage.backward_input_us is missing", "a duration"},
          {9, "backward_weight_us = 1e13", 9, 22, "stage.backward_weight_us is 10000000000000.0",
           kDurations},
          {9, "", 6, 1, "stage.backward_weight_us is missing", "a duration"},
      });
}

TEST_CASE("stage: sizes, shares and unknown keys") {
  check_errors(
      kStageScenario,
      {
          {10, "activation_bytes = -1", 10, 20, "stage.activation_bytes is -1",
           "bytes from 0 to 2^62, or a text like \"64MiB\""},
          {10, "activation_bytes = 1.5", 10, 20, "stage.activation_bytes is 1.5", "bytes from 0"},
          {10, "activation_bytes = \"64 potatoes\"", 10, 20,
           "stage.activation_bytes is \"64 potatoes\"", "bytes from 0"},
          {10, "activation_bytes = \"-1B\"", 10, 20, "stage.activation_bytes is \"-1B\"", "bytes"},
          {10, "activation_bytes = \"nanB\"", 10, 20, "stage.activation_bytes is \"nanB\"",
           "bytes"},
          {10, "activation_bytes = 9223372036854775807", 10, 20,
           "stage.activation_bytes is 9223372036854775807", "bytes from 0 to 2^62"},
          {10, "activation_bytes = [1, 2, 3]", 10, 20,
           "stage.activation_bytes is a list of 3 values", "a list of 2"},
          {10, "parameter_bytes = true", 10, 19, "stage.parameter_bytes is true", "bytes"},
          {10, "parameter_bytes = \"1000PB\"\noutput_bytes = \"9999TB/s\"", 11, 16,
           "stage.output_bytes is \"9999TB/s\"", "bytes"},
          {10, "parameter_bytes = \"1e9TB\"", 10, 19, "stage.parameter_bytes is \"1e9TB\"",
           "bytes"},
          {10, "output_bytes = [1, \"x\"]", 10, 20, "stage.output_bytes[1] is \"x\"", "bytes"},
          {10, "input_share = 1.01", 10, 15, "stage.input_share is 1.01", "a number from 0 to 1"},
          {10, "input_share = -0.1", 10, 15, "stage.input_share is -0.1", "from 0 to 1"},
          {10, "input_share = nan", 10, 15, "stage.input_share is nan", "from 0 to 1"},
          {10, "input_share = \"half\"", 10, 15, "stage.input_share is \"half\"", "from 0 to 1"},
          {10, "output_byte = 1", 10, 1, "unknown key \"output_byte\" in [stage]",
           "did you mean output_bytes?"},
          {10, "forwards_ms = 1", 10, 1, "unknown key \"forwards_ms\" in [stage]",
           "did you mean forward_ms?"},
          {10, "file = 7", 10, 8, "stage.file is 7", "the name of a CSV file"},
          {10, "file = \"no such file.csv\"", 10, 8, "cannot read no such file.csv",
           "a CSV file of costs per stage"},
          {10, "file = \"/\"", 10, 8, "cannot read /", "a CSV file"},
      });
}

TEST_CASE("layers: how many and of which kind") {
  check_errors(
      kLayersScenario,
      {
          {6, "per_stage = 0", 6, 13, "layers.per_stage is 0", "a whole number from 1"},
          {6, "per_stage = 1.5", 6, 13, "layers.per_stage is 1.5", "a number of moe layers"},
          {6, "per_stage = \"moe\"", 6, 13, "layers.per_stage is \"moe\"", "a list of \"moe\""},
          {6, "per_stage = []", 6, 13, "layers.per_stage is a list of 0 values", "a list of one"},
          {6, "per_stage = [1]", 6, 13, "layers.per_stage is a list of 1 value",
           "a list of 2, one per stage"},
          {6, "per_stage = [1, 0]", 6, 17, "layers.per_stage[1] is 0", "a whole number from 1"},
          {6, "per_stage = [1, \"moe\"]", 6, 17, "layers.per_stage[1] is \"moe\"",
           "a number of moe layers"},
          {6, "per_stage = [\"moe\", \"sparse\"]", 6, 21, "layers.per_stage[1] is \"sparse\"",
           "one of moe, dense"},
          {6, "per_stage = [\"moe\", 1]", 6, 21, "layers.per_stage[1] is 1", "one of moe, dense"},
          {6, "per_stage = [[\"moe\"]]", 6, 13, "layers.per_stage is a list of 1 value",
           "a list of 2"},
          {6, "per_stage = [[\"moe\"], []]", 6, 23, "layers.per_stage[1] is a list of 0 values",
           "at least one"},
          {6, "per_stage = [[\"moe\"], [\"mo\"]]", 6, 24, "layers.per_stage[1][0] is \"mo\"",
           "did you mean moe?"},
          {6, "per_stage = [[\"moe\"], 3]", 6, 23, "layers.per_stage[1] is 3", "a list of \"moe\""},
          {6, "per_stage = 4194305", 6, 13, "layers.per_stage is 4194305",
           "a whole number from 1 to 4194304"},
          {6, "per_stage = 2097153", 6, 13, "layers.per_stage makes too many layers",
           "at most 4194304 layers in all stages together"},
          {6, "per_stage = [4194304, 1]", 6, 13, "layers.per_stage makes too many layers",
           "at most 4194304"},
          {6, "", 5, 1, "layers.per_stage is missing", "a number of moe layers"},
      });
}

TEST_CASE("layers: what a layer of a kind needs is required") {
  check_errors(kLayersScenario,
               {
                   {7, "", 5, 1, "layers.attention_us is missing", "the attention of a layer"},
                   {8, "", 5, 1, "layers.experts_us is missing", "the experts of a moe layer"},
                   {9, "", 5, 1, "layers.dispatch_us is missing", "or dispatch_bytes"},
                   {10, "", 5, 1, "layers.combine_us is missing", "or combine_bytes"},
                   {6, "per_stage = [\"moe\", \"dense\"]", 5, 1, "layers.mlp_us is missing",
                    "the mlp of a dense layer"},
               });
  const std::string dense =
      "[layers]\nper_stage = [\"dense\"]\n"
      "attention_us = { forward = 1, backward_input = 1, backward_weight = 1 }\n"
      "mlp_us = { forward = 1, backward_input = 1, backward_weight = 1 }\n";
  const std::string pipeline = "[pipeline]\nranks = 2\nmicro_batches = 8\nschedule = \"gpipe\"\n";
  CHECK_FALSE(error_of(pipeline + dense).has_value());
}

TEST_CASE("layers: parts") {
  const std::string three = "{ forward = 1, backward_input = 1, backward_weight = 1 }";
  check_errors(
      kLayersScenario,
      {
          {7, "attention_us = 5", 7, 16, "layers.attention_us is 5", "a table"},
          {7, "attention_us = { forward = 1, backward_input = 1 }", 7, 16,
           "layers.attention_us.backward_weight is missing", "a duration"},
          {7, "attention_us = { forward = -1, backward_input = 1, backward_weight = 1 }", 7, 28,
           "layers.attention_us.forward is -1", kDurations},
          {7, "attention_us = { forward = 1, backward_input = nan, backward_weight = 1 }", 7, 48,
           "layers.attention_us.backward_input is nan", kDurations},
          {7, "attention_us = { forward = 1, backward_input = 1, backward_weight = \"1\" }", 7, 69,
           "layers.attention_us.backward_weight is \"1\"", kDurations},
          {7, "attention_us = { forward = 1, backward = 1 }", 7, 31,
           "unknown key \"backward\" in [layers.attention_us]", "one of forward, backward_input"},
          {7, "attention_ms = { forward = 1e10, backward_input = 1, backward_weight = 1 }", 7, 28,
           "layers.attention_ms.forward is 10000000000.0", "a number from 0 to 1000000000"},
          {8, "experts_us = [1, 2, 3]", 8, 14, "layers.experts_us is a list of 3 values",
           "a table"},
          {9, "dispatch_us = " + three, 9, 30,
           "unknown key \"backward_input\" in [layers.dispatch_us]", "one of forward, backward"},
          {9, "dispatch_us = { forward = 1 }", 9, 15, "layers.dispatch_us.backward is missing",
           "a duration"},
          {9, "dispatch_bytes = \"1 box\"", 9, 18, "layers.dispatch_bytes is \"1 box\"", "bytes"},
          {9, "dispatch_us = { forward = 1, backward = 1 }\ndispatch_bytes = 5", 10, 18,
           "layers.dispatch_us and layers.dispatch_bytes are both given", "one of them"},
          {10, "combine_us = { forward = 1, backward = inf }", 10, 40,
           "layers.combine_us.backward is inf", kDurations},
          {10, "combine_bytes = -5", 10, 17, "layers.combine_bytes is -5", "bytes"},
          {11, "counts_us = { forward = true, backward = 1 }", 11, 25,
           "layers.counts_us.forward is true", kDurations},
          {11, "counts_bytes = 0.5", 11, 16, "layers.counts_bytes is 0.5", "bytes"},
          {11, "mlp_us = {}", 11, 10, "layers.mlp_us.forward is missing", "a duration"},
          {11, "embedding_us = false", 11, 16, "layers.embedding_us is false", "a table"},
          {11, "head_us = \"none\"", 11, 11, "layers.head_us is \"none\"", "a table"},
          {11, "launches = 3", 11, 12, "layers.launches is 3", "a table"},
          {11, "launches = { attention = 0 }", 11, 26, "layers.launches.attention is 0",
           "a whole number from 1 to 1000000"},
          {11, "launches = { expert = 2 }", 11, 14, "unknown key \"expert\" in [layers.launches]",
           "did you mean experts?"},
          {11, "output_bytes = \"many\"", 11, 16, "layers.output_bytes is \"many\"", "bytes"},
          {11, "dispatch_byte = 3", 11, 1, "unknown key \"dispatch_byte\" in [layers]",
           "did you mean dispatch_bytes?"},
      });
}

TEST_CASE("one source of costs") {
  check_errors(kLayersScenario,
               {
                   {11, "[stage]\nforward_us = 1", 12, 14,
                    "stage.forward_us and [layers] are both given", "one source of costs"},
                   {11, "[stage]\nbackward_weight_ms = 1", 12, 22,
                    "stage.backward_weight_ms and [layers] are both given", "one source"},
                   {11, "[stage]\nfile = \"c.csv\"", 12, 8,
                    "stage.file and [layers] are both given", "one source"},
                   {11, "[stage]\noutput_bytes = 1", 12, 16,
                    "stage.output_bytes and [layers] are both given", "one source"},
               });
  const auto none = error_of("[pipeline]\nranks = 2\nmicro_batches = 8\nschedule = \"gpipe\"\n");
  REQUIRE(none.has_value());
  CHECK(std::string(none->what()) == "s.toml:1:1: error: no costs; expected [stage] or [layers]");
}

TEST_CASE("what adds up to more than 2^62 is refused before anything adds it up") {
  const std::string long_years = "the durations of all micro-batches add up to more than 146 years";
  const std::string large = "the sizes of all micro-batches add up to more than 2^62 bytes";
  check_errors(kStageScenario,
               {
                   {10, "output_bytes = 1000000000000000000", 4, 17, large, "smaller sizes"},
                   {10, "parameter_bytes = 4611686018427387904", 4, 17, large, "smaller sizes"},
               });
  const std::vector<std::string> overrides = {"pipeline.micro_batches=16777215",
                                              "stage.forward_us=1e12"};
  const auto error = error_of(text_of(kStageScenario), overrides);
  REQUIRE(error.has_value());
  CHECK(error->wrong() == long_years);
  const auto layers = error_of(text_of(kLayersScenario),
                               {"layers.per_stage=2097152", "layers.dispatch_us.forward=1e12"});
  REQUIRE(layers.has_value());
  CHECK(layers->wrong() == long_years);
  const auto host =
      error_of(text_of(kStageScenario), {"pipeline.micro_batches=16777215", "host.fork_us=1e12"});
  REQUIRE(host.has_value());
  CHECK(host->wrong() == long_years);
}

}  // namespace
}  // namespace steptwin
