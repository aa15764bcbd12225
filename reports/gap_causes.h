#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/host_waits.h"
#include "reports/intervals.h"
#include "reports/trace_index.h"
#include "reports/transfers.h"

namespace steptwin::reports {

// Why a rank computes nothing at an instant.
enum class GapCause : std::uint8_t {
  dependency,  // the input is not computed anywhere yet
  transfer,    // the input's bytes are in flight
  order,       // inputs are there; an in-order stream or a rendezvous holds it
  host,        // not launched yet, for the host is busy
  end,         // nothing left to do
};
inline constexpr std::array<GapCause, 5> kGapCauses = {
    GapCause::dependency, GapCause::transfer, GapCause::order, GapCause::host, GapCause::end};
std::string_view name_of(GapCause cause);

struct GapTimes {
  std::array<TimeNs, 5> by_cause_ns = {};
  // Of transfer:
  TimeNs in_collective_ns = 0;  // a collective's bytes, of those that the model computes with
  TimeNs in_gathering_ns = 0;   // sharded parameters
  TimeNs in_copy_ns = 0;        // a copy to or from the host
  // Of order:
  TimeNs in_rendezvous_ns = 0;  // a rendezvous keeps the thread from launching
  TimeNs behind_p2p_ns = 0;     // a collective queues behind a transfer on its stream

  TimeNs& of(GapCause cause) { return by_cause_ns[static_cast<std::size_t>(cause)]; }
  TimeNs of(GapCause cause) const { return by_cause_ns[static_cast<std::size_t>(cause)]; }
  TimeNs sum_ns() const;
  void add(const GapTimes& other);
};

// Cuts every gap of a rank's compute into causes. What is summed is exactly T - |C|.
//
// A gap belongs to the compute kernel K that ends it, and is read from K's inputs, one after the
// other; each takes what is left of the gap up to its own end:
//
//   if K is the chunk's first compute, what the chunk before left in flight on this rank: the
//   collectives after the last compute of FWD(s-1,m) for FWD(s,m), of FWD(s,m) for its backward,
//   each like X below
//   if K is the chunk's first compute, the chunk's transfer (send S by producer P, receive R)
//     before P.end            dependency
//     R or S not enqueued     order while a rendezvous holds its thread, else host
//     until R.start           order
//     until R.end             transfer (of a batch, start and end of the part)
//   each collective X of the chunk between the compute kernel before K and K, in order of ids
//     before X.enqueue        order while a rendezvous holds its thread, else host
//     until X.ready           order
//     until X.start           dependency: a peer's input is missing
//     until X.end             transfer
//   K itself
//     before K.enqueue        order while a rendezvous holds its thread, else host
//     until K.start           transfer while the parameters of its stage are gathered or a copy
//                             is under way on its rank (it may have to wait for it), else order
//   after the last compute    end
//
// Its thread is the one that launches it, or main until that one is forked. A rendezvous holds it
// while it is in one and the thread it meets does no host work (HeldInRendezvous): a thread that
// waits at a hook for the other's slow launches waits for the host.
//
// A compute kernel without duration ends a gap as any other does.
class GapCauses {
 public:
  explicit GapCauses(const TraceIndex& index);

  GapTimes of_rank(std::int32_t rank) const;

 private:
  class Gap;

  void explain(std::size_t kernel, Gap& gap) const;
  void explain_forward_before(const Chunk& chunk, Gap& gap) const;
  void explain_transfer(const Transfer& transfer, Gap& gap) const;
  void explain_collective(const TraceKernel& collective, Gap& gap) const;
  void explain_unlaunched(const TraceKernel& kernel, TimeNs until, Gap& gap) const;

  const TraceIndex* index_;
  Transfers transfers_;
  std::vector<HeldInRendezvous> held_;              // by rank
  std::vector<std::vector<TimeNs>> thread_begins_;  // by rank and thread
  // By (rank, stream): when a stream that carries collectives is occupied by a transfer.
  std::map<std::pair<std::int32_t, std::int32_t>, IntervalSet> p2p_;
  std::map<std::pair<std::int32_t, std::int32_t>, IntervalSet> gathered_;  // by (rank, stage)
  std::vector<IntervalSet> copied_;                                        // by rank
};

}  // namespace steptwin::reports
