#pragma once

#include <cstdint>

#include "model/program.h"
#include "sim/shared_rates.h"

namespace steptwin::sim {

// How an evaluation learns when work ends that begins at a known time. Chosen once, so that an
// evaluation without contention pays for nothing.
//
// compute(), transfer() and collective() say whether the end is not known yet: then the work has
// been announced, and finish_work (sim/streams.h) is called when it has ended.

// Nothing slows anything down: every end is its beginning plus a duration.
struct KnownEnds {
  static bool compute(TimeNs /*from*/, const Kernel& /*kernel*/, const WorkOwner& /*owner*/) {
    return false;
  }
  static bool transfer(TimeNs /*from*/, const Kernel& /*kernel*/, const P2pPart& /*part*/,
                       const WorkOwner& /*owner*/) {
    return false;
  }
  static bool collective(TimeNs /*from*/, const Kernel& /*kernel*/) { return false; }
  void kernel_arrives(std::int32_t /*rank*/, TimeNs /*at*/) {}
  void kernel_ends(std::int32_t /*rank*/, TimeNs /*at*/) {}
  void part_begins(std::int32_t /*rank*/, TimeNs /*at*/) {}
  void part_ends(std::int32_t /*rank*/, TimeNs /*at*/) {}
};

// Ends come about in SharedRates. Work without duration is over at once all the same.
class SharedEnds {
 public:
  explicit SharedEnds(const Program& program)
      : rates(program),
        loses_compute_(program.contention.compute_loss > 0),
        while_waiting_(program.contention.while_waiting) {}

  bool compute(TimeNs from, const Kernel& kernel, const WorkOwner& owner) {
    if (kernel.kind != KernelKind::compute || kernel.duration_ns == 0) return false;
    rates.compute(from, kernel.rank, kernel.duration_ns, owner);
    return true;
  }
  bool transfer(TimeNs from, const Kernel& kernel, const P2pPart& part, const WorkOwner& owner) {
    if (part.transfer_ns == 0) return false;
    const std::int32_t sender = part.is_send ? kernel.rank : part.peer;
    const std::int32_t receiver = part.is_send ? part.peer : kernel.rank;
    rates.transfer(from, sender, receiver, part.transfer_ns, owner);
    return true;
  }
  bool collective(TimeNs from, const Kernel& kernel) {
    if (kernel.duration_ns == 0) return false;
    rates.collective(from, kernel.communicator, kernel.duration_ns, {-1, kernel.communicator});
    return true;
  }

  // A communication kernel occupies a stream of the rank, and so slows its compute down, from its
  // arrival to its end; unless while_waiting, only while one of its parts transfers.
  void kernel_arrives(std::int32_t rank, TimeNs at) {
    if (loses_compute_ && while_waiting_) rates.occupy(at, rank);
  }
  void kernel_ends(std::int32_t rank, TimeNs at) {
    if (loses_compute_ && while_waiting_) rates.vacate(at, rank);
  }
  void part_begins(std::int32_t rank, TimeNs at) {
    if (loses_compute_ && !while_waiting_) rates.occupy(at, rank);
  }
  void part_ends(std::int32_t rank, TimeNs at) {
    if (loses_compute_ && !while_waiting_) rates.vacate(at, rank);
  }

  SharedRates rates;

 private:
  bool loses_compute_;
  bool while_waiting_;
};

}  // namespace steptwin::sim
