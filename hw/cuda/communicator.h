#pragma once

#include "hw/cuda/check.h"

namespace steptwin::hw::cuda {

// A rank's membership of an NCCL communicator. It never blocks: a call begins something, and until
// it is settled nothing else may be begun on it. Only so can it be given up when a peer is lost.
// The calls of a device's communicators come one at a time, from whatever thread.
class NcclCommunicator {
 public:
  // Begins to join; is settled when all members have come.
  NcclCommunicator(const ncclUniqueId& id, int members, int place);
  // Aborts, unless it was left.
  ~NcclCommunicator() { abort(); }
  NcclCommunicator(NcclCommunicator&& from) noexcept;
  NcclCommunicator& operator=(NcclCommunicator&&) = delete;
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  ncclComm_t handle() const { return handle_; }

  // Whether what was begun last is settled. Throws std::runtime_error when it, or what is under way
  // on the device, has failed.
  bool is_settled() const;

  // Begins to leave, once all that is under way has ended. Once that is settled:
  void leave();
  void destroy();
  // Whatever is under way is given up, at this member.
  void abort() noexcept;

 private:
  ncclComm_t handle_ = nullptr;
};

}  // namespace steptwin::hw::cuda
