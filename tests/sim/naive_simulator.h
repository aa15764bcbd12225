#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"
#include "model/trace.h"
#include "model/units.h"

namespace steptwin {

// A second simulator, as plain as possible, to judge the fast one by: it goes from instant to
// instant and re-examines every thread, stream and transfer in every round. No event queue, no
// wake-up lists, nothing remembered that can be looked up again. The rules, in full:
//
// Time. Whole nanoseconds. Instant 0 starts everything; the next instant is the earliest pending
// time: a timed command's completion, a blocked thread's resumption, a kernel's end, the end of a
// part's transfer.
//
// An instant is worked off in rounds until a whole round changes nothing:
//   (a) Kernels that end now, end. Then wait entries at stream heads whose event is complete are
//       passed, until no more can be: either may complete events.
//   (b) Every thread, in the order (rank, thread), gets one turn and completes at most one command.
//   (c) Stream heads become ready in the order (rank, stream): a compute or copy kernel starts, a
//       communication kernel arrives. Then transfers whose participants are all there begin.
// What (c) starts with no duration ends in (a) of the next round.
//
// A turn. A timed command in progress completes if its end has come. A blocked thread resumes if
// it may. Otherwise the thread begins its next command; if that takes no time it completes in the
// same turn. So a timed command begins in the turn after the one that completed the one before it.
// launch takes launch_ns times the kernel's launches, record and wait take event_ns, host_work its
// duration, fork fork_ns; their effect comes at the end. notify and depart take nothing.
//
// Events. A record makes its event cover everything appended to the stream so far, or up to its
// kernel. The event is complete when all of it has ended or been passed. An event not recorded yet
// is not complete.
//
// host_wait, join. If the event is complete (the thread has ended) it completes in one go at no
// cost. Otherwise the thread blocks and resumes wake_ns after that comes true; without wake_ns, at
// its first turn at which it holds. A forked thread lives from the end of its fork; one without
// commands ends there.
//
// Launch lock. With one_launch_lock a launch that takes time needs its rank's lock for that time:
// first come, first served. Waiting for it costs no wake_ns; the launch begins at the waiter's next
// turn after the holder's launch has completed.
//
// Rendezvous, between main and the forked thread, from the end of the fork to the end of the join;
// outside that main's rendezvous completes at once. A thread arrives when it begins the command.
// The second arrival, at a, opens the barrier: it leaves at a + rendezvous_ns (at 0: in that turn),
// the first at a + rendezvous_ns + wake_ns (at 0: at its next turn). The COMM side then completes.
// The COMPUTE side completes if the other has been the COMM side of this barrier and has called
// notify(COMM) since; if not it blocks, and resumes wake_ns after that notify (at 0: at its next
// turn). notify(COMM) without a completed, not yet notified COMM rendezvous of the same overlap
// does nothing, notify(COMPUTE) never does. Two COMM sides both go on; two COMPUTE sides hang.
//
// depart. From then on every rendezvous of the other thread completes at once. If it is blocked at
// the barrier or waits for a notify that has not come, it resumes wake_ns later (at 0: at its next
// turn); if the barrier has opened and it has not left, it leaves at its time and needs no notify.
// A departed thread that comes to a rendezvous waits until the other departs too. A thread that
// ends without departing frees nobody. A fork begins afresh.
//
// p2p. On a communicator, the k-th send from one rank to another matches the k-th receive there,
// in the order in which the kernels arrive on either side (a kernel's parts in their order). A
// transfer begins when both kernels have arrived and takes the sender's transfer_ns. The kernel
// ends with its last transfer; its start is that of the first to begin. Collectives: the n-th call
// of every member of the communicator; they start when the last has arrived and take the lowest
// member's duration. Ends that differ in bytes or time (members: in kind too) are an Error.
//
// Eager sends. With eager_bytes a sending part of at most that many bytes begins to transfer when
// its kernel arrives, and is over when that is. Its receiver's part begins when both kernels have
// arrived, and is over when it has arrived and the transfer is over. They match as others do.
//
// Contention. What goes on is works: compute and copy kernels, transfers, collectives. A work of d
// nanoseconds has d * 2^60 units left when it begins, and loses its rate's units in every
// nanosecond; it ends at the first whole nanosecond at which none are left. A rate is the following
// fraction times 2^60, rounded up:
//
//   copy                       1
//   compute                    (1 - compute_loss if the rank is occupied)
//                              * (cores / (devices * compute kernels on the host) if that is < 1)
//   transfer, collective       (1 - comm_loss if a compute kernel runs on one of its ranks)
//                              / (flows on the fullest of its ports)
//
// A rank is occupied while a communication kernel that has arrived is at the head of one of its
// streams; unless while_waiting, only while one of that kernel's transfers, or its collective, goes
// on and the kernel has arrived. Both ranks of a transfer are its ranks, all members those of a
// collective.
//
// With share_ports each rank has an out and an in port within its node and across nodes. A
// collective is a flow on both of each of its members, across nodes if two members are on different
// nodes or collectives_cross_nodes. A transfer is a flow on the out port of its sender and the in
// port of its receiver as soon as no more units are left than its duration beyond the latency has.
//
// Deadlock. Nothing is pending and a living thread has not ended or a stream has entries left.

struct NaiveBlockedThread {
  std::int32_t rank = 0;
  std::int32_t thread = 0;
  std::int64_t command = 0;  // position of the command it hangs in

  friend bool operator==(const NaiveBlockedThread&, const NaiveBlockedThread&) = default;
};

struct NaiveBlockedStream {
  std::int32_t rank = 0;
  std::int32_t stream = 0;
  std::int64_t kernel = -1;  // at its head; -1: a wait entry

  friend bool operator==(const NaiveBlockedStream&, const NaiveBlockedStream&) = default;
};

struct NaivePartSpan {
  TimeNs start_ns = 0;
  TimeNs end_ns = 0;
};

struct NaiveResult {
  std::vector<KernelTimes> times;         // by kernel; -1 where it never came to it
  std::vector<NaivePartSpan> part_spans;  // of kernels with several parts, one after the other
  std::vector<HostRecord> host;  // completed commands by (rank, thread, position); a launch that
                                 // waited for the lock begins when it asked
  TimeNs last_ns = 0;            // the last instant, ends of single transfers included
  bool deadlocked = false;
  std::vector<NaiveBlockedThread> blocked_threads;  // by (rank, thread); only after a deadlock
  std::vector<NaiveBlockedStream> blocked_streams;  // by (rank, stream); only after a deadlock
};

// `program` must be valid (model/validate.h). Throws Error, naming both calls, if two that match
// differ in size.
NaiveResult naive_simulate(const Program& program);

}  // namespace steptwin
