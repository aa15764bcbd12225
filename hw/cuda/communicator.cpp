#include "hw/cuda/communicator.h"

#include <utility>

namespace steptwin::hw::cuda {

NcclCommunicator::NcclCommunicator(const ncclUniqueId& id, int members, int place) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const ncclResult_t result = ncclCommInitRankConfig(&handle_, members, id, place, &config);
  // A constructor that throws has no destructor: what was made of it goes here.
  if (result != ncclSuccess && result != ncclInProgress) abort();
  check(result, "ncclCommInitRankConfig");
}

NcclCommunicator::NcclCommunicator(NcclCommunicator&& from) noexcept
    : handle_(std::exchange(from.handle_, nullptr)) {}

bool NcclCommunicator::is_settled() const {
  ncclResult_t state = ncclSuccess;
  check(ncclCommGetAsyncError(handle_, &state), "ncclCommGetAsyncError");
  check(state, "a communicator");
  return state != ncclInProgress;
}

void NcclCommunicator::leave() {
  check(ncclCommFinalize(handle_), "ncclCommFinalize");
}

void NcclCommunicator::destroy() {
  check(ncclCommDestroy(std::exchange(handle_, nullptr)), "ncclCommDestroy");
}

void NcclCommunicator::abort() noexcept {
  if (handle_ != nullptr) ncclCommAbort(std::exchange(handle_, nullptr));
}

}  // namespace steptwin::hw::cuda
