#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "reports/trace_index.h"

namespace steptwin::reports {

// The transfer that brings a chunk its input. Positions in trace.kernels; kNoKernel where the
// trace does not tell. A kernel of several parts is many transfers: each end has the times of its
// own part.
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
  Interval receiving;  // when the bytes move, start to end
  Interval sending;
};

// Finds the input transfer of a chunk, by the labels of kernels or of their parts:
//
//   FWD(s,m)               receive FWD_RECV(s,m), send FWD_SEND(s-1,m) on the receive's peer,
//                          producer FWD(s-1,m) there
//   BWD(s,m), BWD_INPUT    receive BWD_RECV(s,m), send BWD_SEND(s+1,m), producer BWD(s+1,m) or
//                          BWD_INPUT(s+1,m)
class Transfers {
 public:
  explicit Transfers(const TraceIndex& index);

  // Nothing if the chunk has no transfer into it: not a forward or backward, the first stage's
  // forward, the last stage's backward, or a neighbour on the same rank.
  std::optional<Transfer> into(const Chunk& chunk) const;

 private:
  struct End {
    std::int32_t peer = -1;
    std::size_t kernel = 0;
    Interval moving;
  };
  struct LabelledPart {
    StepType step = StepType::fwd_send;
    std::int32_t stage = -1;
    std::int32_t micro = -1;
    std::int32_t rank = 0;
    End end;
  };

  std::optional<End> end_of(StepType step, std::int32_t stage, std::int32_t micro,
                            std::int32_t rank) const;
  const Chunk* producer_of(const Chunk& chunk, std::int32_t rank) const;
  std::size_t last_kernel(const Chunk* chunk) const;

  const TraceIndex* index_;
  std::vector<LabelledPart> parts_;  // by (stage, micro, step, rank), and by kernel where alike
};

}  // namespace steptwin::reports
