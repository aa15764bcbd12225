#include "hw/cuda/products.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace steptwin::hw::cuda {
namespace {

constexpr std::size_t kElement = sizeof(std::uint16_t);
constexpr std::size_t kMatrixBytes =
    static_cast<std::size_t>(Matrices::kLargest) * Matrices::kLargest * kElement;
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // what Hopper is recommended
constexpr std::array<std::int32_t, 6> kSizes = {128, 256, 512, 1024, 2048, 4096};

// bf16 of either sign between 1/2 and 2.
std::vector<std::uint16_t> random_elements(std::size_t count) {
  constexpr std::uint64_t kFactor = 6364136223846793005U;  // Knuth, TAOCP 3.3.4
  std::vector<std::uint16_t> elements(count);
  std::uint64_t state = 1;
  for (std::uint16_t& element : elements) {
    state = state * kFactor + 1442695040888963407U;
    const auto bits = static_cast<std::uint32_t>(state >> 48U);
    element = static_cast<std::uint16_t>(0x3f00U | (bits & 0x80ffU));
  }
  return elements;
}

}  // namespace

Matrices::Matrices() : memory_(make_device_memory(2 * kMatrixBytes)) {
  // The same piece over and over: it is the bits that take the power, not their order.
  const std::vector<std::uint16_t> piece = random_elements(std::size_t{1} << 20);
  const std::size_t bytes = piece.size() * kElement;
  for (std::size_t at = 0; at < 2 * kMatrixBytes; at += bytes) {
    check(cudaMemcpy(memory_.get() + at, piece.data(), bytes, cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
}

const void* Matrices::right() const {
  return memory_.get() + kMatrixBytes;
}

Products::Products(cudaStream_t stream, const Matrices& matrices)
    : matrices_(matrices),
      workspace_(make_device_memory(kWorkspaceBytes)),
      result_(make_device_memory(kMatrixBytes)) {
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cublasCreate");
  handle_.reset(handle);
  check(cublasSetStream(handle, stream), "cublasSetStream");
  // After the stream, which takes the workspace away.
  check(cublasSetWorkspace(handle, workspace_.get(), kWorkspaceBytes), "cublasSetWorkspace");
}

void Products::append(const PlannedProducts& products) {
  const float one = 1;
  const float zero = 0;
  const int size = products.size;
  for (std::int32_t index = 0; index < products.count; ++index) {
    check(cublasGemmEx(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one,
                       matrices_.left(), CUDA_R_16BF, size, matrices_.right(), CUDA_R_16BF, size,
                       &zero, result_.get(), CUDA_R_16BF, size, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }
}

std::vector<MeasuredProduct> measure_products(Products& products, cudaStream_t stream,
                                              const Patience& patience) {
  constexpr int kTries = 5;
  constexpr int kRow = 10;  // products in a row, so that launching them does not count
  const Event begin = make_event(true);
  const Event end = make_event(true);
  std::vector<MeasuredProduct> measured;
  for (const std::int32_t size : kSizes) {
    std::array<float, kTries> took_ms{};
    products.append({size, kRow});  // the first ones load code and wake the device
    for (float& took : took_ms) {
      check(cudaEventRecord(begin.get(), stream), "cudaEventRecord");
      products.append({size, kRow});
      check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
      await(patience, "a product", [&] { return is_complete(end.get()); });
      check(cudaEventElapsedTime(&took, begin.get(), end.get()), "cudaEventElapsedTime");
    }
    std::nth_element(took_ms.begin(), took_ms.begin() + kTries / 2, took_ms.end());
    constexpr double kNsPerMs = 1e6;
    measured.push_back({size, std::max(took_ms[kTries / 2] * kNsPerMs / kRow, 1.0)});
  }
  return measured;
}

}  // namespace steptwin::hw::cuda
