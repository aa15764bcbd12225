#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

namespace steptwin::hw::cuda {

// Every call of the toolkit goes through one of these. A failure becomes a std::runtime_error that
// names the call and what it answered.
void check(cudaError_t status, const char* call);
void check(cublasStatus_t status, const char* call);
// A call of a non-blocking communicator that is in progress has not failed.
void check(ncclResult_t status, const char* call);

}  // namespace steptwin::hw::cuda
