#include <chrono>
#include <thread>

#include "tests/fake_gpu/include/cublas_v2.h"
#include "tests/fake_gpu/machine.h"
#include "tests/fake_gpu/streams.h"

namespace {

using steptwin::fake_gpu::Machine;

template <typename Perform>
cublasStatus_t answer(const char* function, Perform perform) {
  if (const auto status = Machine::get().fault(function)) {
    return static_cast<cublasStatus_t>(*status);
  }
  return perform();
}

}  // namespace

struct cublasContext {
  cudaStream_t stream = nullptr;
};

extern "C" {

const char* cublasGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_EXECUTION_FAILED ? "CUBLAS_STATUS_EXECUTION_FAILED"
                                                  : "CUBLAS_STATUS_...";
}

const char* cublasGetStatusString(cublasStatus_t /*status*/) {
  return "the function failed to launch on the GPU";
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  return answer("cublasCreate", [&] {
    *handle = new cublasContext();
    ++Machine::get().live;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return answer("cublasDestroy", [&] {
    delete handle;
    --Machine::get().live;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return answer("cublasSetStream", [&] {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t /*handle*/, void* /*workspace*/,
                                  std::size_t /*bytes*/) {
  return answer("cublasSetWorkspace", [] { return CUBLAS_STATUS_SUCCESS; });
}

// Takes what it would on a device of 100 TFLOP/s.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t /*transpose_a*/,
                            cublasOperation_t /*transpose_b*/, int m, int n, int k,
                            const void* /*alpha*/, const void* /*a*/, cudaDataType_t /*a_type*/,
                            int /*a_row*/, const void* /*b*/, cudaDataType_t /*b_type*/,
                            int /*b_row*/, const void* /*beta*/, void* /*c*/,
                            cudaDataType_t /*c_type*/, int /*c_row*/,
                            cublasComputeType_t /*compute*/, cublasGemmAlgo_t /*algorithm*/) {
  return answer("cublasGemmEx", [&] {
    constexpr double kFlopsPerNs = 1e5;
    const std::chrono::nanoseconds takes(static_cast<std::int64_t>(2.0 * m * n * k / kFlopsPerNs));
    handle->stream->put([takes] { std::this_thread::sleep_for(takes); });
    return CUBLAS_STATUS_SUCCESS;
  });
}

}  // extern "C"
