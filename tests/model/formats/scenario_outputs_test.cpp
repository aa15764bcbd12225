#include <doctest/doctest.h>

#include "tests/model/formats/bad_scenario.h"

// stage.outputs: shapes, cut into micro-batches or not.
namespace steptwin {
namespace {

std::vector<TensorKeys> outputs_of(const std::string& outputs) {
  return read_scenario(
             "[pipeline]\nranks = 2\nmicro_batches = 4\nschedule = \"1f1b\"\n"
             "[stage]\nforward_us = 1\nbackward_input_us = 1\nbackward_weight_us = 1\n"
             "outputs = " +
                 outputs,
             "s.toml")
      .stage.outputs;
}

TEST_CASE("a shape is of the whole batch; one dimension is cut into micro-batches, or none") {
  const std::vector<TensorKeys> outputs = outputs_of(
      "[{ shape = [8, 100, 3] }, { shape = [100, 8], batch_dim = 1, element_bytes = 4 }, "
      "{ shape = [7, 3], batch_dim = -1, requires_grad = false }, { bytes = \"1KiB\" }]");
  REQUIRE(outputs.size() == 4);
  CHECK(outputs[0].bytes == 2 * 100 * 3 * 2);
  CHECK(outputs[0].requires_grad);
  CHECK(outputs[1].bytes == 100 * 2 * 4);
  CHECK(outputs[2].bytes == 7 * 3 * 2);
  CHECK_FALSE(outputs[2].requires_grad);
  CHECK(outputs[3].bytes == 1024);
}

std::string error_of_outputs(const std::string& outputs) {
  try {
    outputs_of(outputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("the dimension must divide, and each tensor is given one way") {
  CHECK(error_of_outputs("[{ shape = [6, 3] }]") ==
        "s.toml:9:23: error: stage.outputs[0].shape[0] is 6; expected a multiple of "
        "pipeline.micro_batches, 4");
  CHECK(error_of_outputs("[{ shape = [8], bytes = 3 }]") ==
        "s.toml:9:22: error: stage.outputs[0].shape and bytes are both given; expected one of "
        "them");
  CHECK(error_of_outputs("[{ requires_grad = true }]") ==
        "s.toml:9:12: error: stage.outputs[0].shape is missing; expected a list of 1 to 16 "
        "lengths, or bytes");
  CHECK(error_of_outputs("[{ bytes = 1 }]\noutput_bytes = 2") ==
        "s.toml:10:16: error: stage.output_bytes and stage.outputs are both given; expected one "
        "of them");
}

}  // namespace
}  // namespace steptwin
