#pragma once

#include "sim/state.h"

namespace steptwin::sim {

// The A/B/C/D rendezvous of the two host threads of an overlap, and what else lets a blocked
// thread go on.
//
// A rendezvous is a barrier. Both leave it `rendezvous_ns` after the later arrival, the earlier
// arrival `wake_ns` after that. The COMM side then goes on; the COMPUTE side goes on once the COMM
// side has called its next notify(COMM), `wake_ns` after it if it had to wait.
//
//     main    attention ─┤A├─ launch dispatch ─ notify(COMM) ─┤B├─ ...
//     forked  ───────────┤C├──────── waits ────────┴─ launch experts' ...

// The thread begins a rendezvous at thread.at. True if it completes at once; else the thread is
// left waiting, or about to leave the barrier.
bool arrive(State& state, RankState& rank, ThreadState& thread, Role role);

// The thread's turn to leave the barrier has come. False if the COMPUTE side still has to wait for
// the notify; it is left in that phase.
bool may_leave(RankState& rank, ThreadState& thread);

void notify(State& state, RankState& rank, const ThreadState& thread, Role role, const Stamp& at);

// The thread is done; its partner runs on alone.
void depart(State& state, RankState& rank, const ThreadState& thread, const Stamp& at);

// The thread's launch has ended: one that waits for the lock begins at its next turn.
void release_lock(State& state, RankState& rank, const ThreadState& holder, const Stamp& at);

// What a thread waited for came true at `cause`: its command completes at its next turn, or in the
// first round wake_ns later.
void resume_blocked(const State& state, ThreadState& thread, const Stamp& cause);

}  // namespace steptwin::sim
