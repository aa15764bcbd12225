#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

// Of NCCL what the cuda backend calls (include/cuda_runtime_api.h says why).

enum ncclResult_t {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};
enum ncclDataType_t { ncclUint64 = 5 };
enum ncclRedOp_t { ncclSum = 0 };

using ncclComm_t = struct ncclComm*;

struct ncclUniqueId {
  char internal[128];
};
struct ncclConfig_t {
  int blocking = 1;
};
inline constexpr ncclConfig_t NCCL_CONFIG_INITIALIZER;

extern "C" {
const char* ncclGetErrorString(ncclResult_t result);
const char* ncclGetLastError(ncclComm_t communicator);
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config);
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state);
ncclResult_t ncclCommFinalize(ncclComm_t communicator);
ncclResult_t ncclCommDestroy(ncclComm_t communicator);
ncclResult_t ncclCommAbort(ncclComm_t communicator);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
ncclResult_t ncclSend(const void* words, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclRecv(void* words, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclAllGather(const void* brought, void* results, std::size_t count,
                           ncclDataType_t type, ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclReduceScatter(const void* brought, void* results, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t operation, ncclComm_t communicator,
                               cudaStream_t stream);
ncclResult_t ncclAllReduce(const void* brought, void* results, std::size_t count,
                           ncclDataType_t type, ncclRedOp_t operation, ncclComm_t communicator,
                           cudaStream_t stream);
}
