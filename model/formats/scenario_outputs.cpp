#include <fmt/format.h>

#include "model/formats/scenario_sections.h"

// stage.outputs: the tensors that a stage sends to the next one.

namespace steptwin {
namespace {

constexpr std::size_t kMostTensors = 64;
constexpr std::size_t kMostDimensions = 16;
constexpr std::int32_t kMostElementBytes = 16;

// The bytes of one micro-batch. Throws Error if the dimension does not divide.
Bytes bytes_of_shape(const TomlTable& tensor, const TensorKeys& keys, std::int32_t micro_batches) {
  const auto dimensions = static_cast<std::int32_t>(keys.shape.size());
  if (keys.batch_dim >= dimensions) {
    refuse(*find(tensor, "batch_dim"),
           fmt::format("a dimension of the shape, from 0 to {}, or -1 for none", dimensions - 1));
  }
  constexpr Bytes kMostBytes = Bytes{1} << 62U;
  Bytes bytes = keys.element_bytes;
  for (std::int32_t dimension = 0; dimension < dimensions; ++dimension) {
    std::int64_t length = keys.shape[static_cast<std::size_t>(dimension)];
    if (dimension == keys.batch_dim) {
      if (length % micro_batches != 0) {
        refuse(item_of(*find(tensor, "shape"), static_cast<std::size_t>(dimension)),
               fmt::format("a multiple of pipeline.micro_batches, {}", micro_batches));
      }
      length /= micro_batches;
    }
    if (bytes > kMostBytes / length) refuse(*find(tensor, "shape"), "at most 2^62 bytes");
    bytes *= length;
  }
  return bytes;
}

TensorKeys tensor_of(const TomlValue& value, std::int32_t micro_batches) {
  const TomlTable tensor = as_table(value);
  refuse_unknown_keys(tensor, {"bytes", "shape", "element_bytes", "batch_dim", "requires_grad"});
  TensorKeys keys;
  read_flag(tensor, "requires_grad", keys.requires_grad);
  const auto shape = find(tensor, "shape");
  if (const auto bytes = find(tensor, "bytes")) {
    for (const std::string_view key : {"shape", "element_bytes", "batch_dim"}) {
      if (const auto given = find(tensor, key)) {
        throw Error(given->position, fmt::format("{} and bytes are both given", given->name),
                    "one of them");
      }
    }
    keys.bytes = bytes_of(*bytes);
    return keys;
  }
  const std::string expected = fmt::format("a list of 1 to {} lengths", kMostDimensions);
  if (!shape) require(tensor, "shape", expected + ", or bytes");
  if (!is_array(*shape) || size_of(*shape) == 0 || size_of(*shape) > kMostDimensions) {
    refuse(*shape, expected);
  }
  for (std::size_t dimension = 0; dimension < size_of(*shape); ++dimension) {
    keys.shape.push_back(integer_of(item_of(*shape, dimension), 1, std::int64_t{1} << 40U));
  }
  read_int32(tensor, "element_bytes", 1, kMostElementBytes, keys.element_bytes);
  read_int32(tensor, "batch_dim", -1, static_cast<std::int32_t>(kMostDimensions) - 1,
             keys.batch_dim);
  keys.bytes = bytes_of_shape(tensor, keys, micro_batches);
  return keys;
}

}  // namespace

void read_outputs(const TomlTable& stage, Scenario& scenario) {
  const auto outputs = find(stage, "outputs");
  if (!outputs) return;
  const std::string expected = fmt::format("a list of 1 to {} tensors", kMostTensors);
  if (!is_array(*outputs) || size_of(*outputs) == 0 || size_of(*outputs) > kMostTensors) {
    refuse(*outputs, expected);
  }
  if (const auto bytes = find(stage, "output_bytes")) {
    throw Error(bytes->position, "stage.output_bytes and stage.outputs are both given",
                "one of them");
  }
  for (std::size_t tensor = 0; tensor < size_of(*outputs); ++tensor) {
    scenario.stage.outputs.push_back(
        tensor_of(item_of(*outputs, tensor), scenario.pipeline.micro_batches));
  }
}

}  // namespace steptwin
