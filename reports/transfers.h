#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "reports/trace_index.h"

namespace steptwin::reports {

// The transfer that brings a chunk its input. Positions in trace.kernels; kNoKernel where the
// trace does not tell.
//
//   rank 0  compute  [FWD(s0,m3) ........ producer]
//           comm                                   [FWD_SEND(s0,m3) send   ]
//   rank 1  comm                [FWD_RECV(s1,m3) receive                   ]
//           compute                                                        [FWD(s1,m3)]
struct Transfer {
  static constexpr std::size_t kNoKernel = std::numeric_limits<std::size_t>::max();

  std::size_t receive = kNoKernel;
  std::size_t send = kNoKernel;
  // The kernel of the chunk that feeds the send which ends last: until then the value is not
  // computed anywhere. Where a chunk ends in a collective (combine), it is that one.
  std::size_t producer = kNoKernel;
};

// Finds the input transfer of a chunk:
//
//   FWD(s,m)               receive FWD_RECV(s,m), send FWD_SEND(s-1,m) on the receive's peer,
//                          producer FWD(s-1,m) there
//   BWD(s,m), BWD_INPUT    receive BWD_RECV(s,m), send BWD_SEND(s+1,m), producer BWD(s+1,m) or
//                          BWD_INPUT(s+1,m)
//
// A kernel that carries a batch is labelled with one of its parts, or with none, so what else it
// carries is found by time: the send is the first batch between the two ranks that was ready at
// or after the producer's end, the receive the batch on the other rank whose transfer starts with
// it. In a schedule that holds a value back for a later batch this names too early a batch.
class Transfers {
 public:
  explicit Transfers(const TraceIndex& index);

  // Nothing if the chunk has no transfer into it: not a forward or backward, the first stage's
  // forward, the last stage's backward, or a neighbour on the same rank.
  std::optional<Transfer> into(const Chunk& chunk) const;

 private:
  struct Batch {
    std::int32_t rank = 0;
    std::int32_t peer = 0;
    TimeNs ready_ns = 0;
    TimeNs start_ns = 0;
    std::size_t kernel = 0;
  };

  std::optional<Transfer> labelled(const Chunk& chunk, std::size_t receive) const;
  std::optional<Transfer> batched(const Chunk& chunk) const;
  const Chunk* producer_of(const Chunk& chunk, std::int32_t rank) const;
  std::size_t last_kernel(const Chunk* chunk) const;
  std::size_t batch_ready_from(std::int32_t rank, std::int32_t peer, TimeNs ready_ns) const;
  std::size_t batch_started_from(std::int32_t rank, std::int32_t peer, TimeNs start_ns) const;

  const TraceIndex* index_;
  std::vector<Batch> batches_;  // by (rank, peer, ready, kernel)
};

}  // namespace steptwin::reports
