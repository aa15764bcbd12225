#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "hw/collective.h"
#include "hw/cuda/communicator.h"
#include "hw/cuda/patience.h"
#include "hw/device.h"
#include "model/program.h"

namespace steptwin::hw::cuda {

using Words = std::span<std::uint64_t>;

// All communicators of a rank, one for each of the Program's that it is a member of. Nothing here
// is locked: the calls come one at a time.
//
// What is posted must be settled before anything else is put on the stream: until then NCCL may not
// have put its kernel there. Posting and settling are apart for set-up, where one thread posts for
// all members before any of them can be settled.
class Communicators {
 public:
  Communicators(const Program& program, std::int32_t rank) : program_(program), rank_(rank) {}

  void join(std::int32_t communicator, const ncclUniqueId& id);
  bool is_settled(std::int32_t communicator) const { return find(communicator).is_settled(); }
  void settle(std::int32_t communicator, const Patience& patience) const;

  // All at once; `payloads`: of each part.
  void post(const Transfers& transfers, std::span<const Words> payloads, cudaStream_t stream);
  // An all-to-all is a group of sends and receives, also to and from itself.
  void post(const Collective& call, Words brought, Words results, cudaStream_t stream);

  // Throws std::runtime_error if one has failed.
  void look() const;
  void leave();
  bool have_left() const;
  void destroy();
  // All, in the order of their numbers, and for good.
  void abort() noexcept;
  bool aborted() const { return aborted_; }

 private:
  const NcclCommunicator& find(std::int32_t communicator) const;

  const Program& program_;
  const std::int32_t rank_;
  std::map<std::int32_t, NcclCommunicator> members_;
  bool aborted_ = false;
};

}  // namespace steptwin::hw::cuda
