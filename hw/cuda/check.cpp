#include "hw/cuda/check.h"

#include <fmt/format.h>
#include <stdexcept>
#include <string_view>

namespace steptwin::hw::cuda {

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(
      fmt::format("{}: {}: {}", call, cudaGetErrorName(status), cudaGetErrorString(status)));
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(
      fmt::format("{}: {}: {}", call, cublasGetStatusName(status), cublasGetStatusString(status)));
}

void check(ncclResult_t status, const char* call) {
  if (status == ncclSuccess || status == ncclInProgress) return;
  const char* last = ncclGetLastError(nullptr);
  const std::string_view detail = last == nullptr ? "" : last;
  throw std::runtime_error(fmt::format("{}: {}{}{}", call, ncclGetErrorString(status),
                                       detail.empty() ? "" : ": ", detail));
}

}  // namespace steptwin::hw::cuda
