#include "sim/rendezvous.h"

namespace steptwin::sim {
namespace {

std::size_t side_of(const ThreadState& thread) {
  return thread.number == 0 ? 0 : 1;
}

ThreadState& partner_of(State& state, const RankState& rank, const ThreadState& thread) {
  const std::int32_t number = thread.number == 0 ? rank.pairing.forked : 0;
  return state.threads[static_cast<std::size_t>(rank.first_thread + number)];
}

Role role_of(const ThreadState& thread) {
  return thread.commands[thread.position].role;
}

// The thread leaves the barrier `delay` after the second arrival, at its next turn without delay.
void schedule_leave(ThreadState& thread, const Stamp& second_arrival, TimeNs delay) {
  thread.phase = ThreadPhase::leaving;
  thread.at = delay > 0 ? first_turn(second_arrival.time + delay, thread.number)
                        : turn_after(second_arrival, thread.number);
}

void open_barrier(Pairing& pairing, const ThreadState& thread) {
  const std::size_t side = side_of(thread);
  pairing.notified[side] = false;
  if (role_of(thread) == Role::comm) pairing.owes_notify[side] = true;
}

}  // namespace

bool arrive(State& state, RankState& rank, ThreadState& thread, Role role) {
  Pairing& pairing = rank.pairing;
  if (pairing.forked == kNobody || pairing.departed[1 - side_of(thread)]) return true;
  ThreadState& partner = partner_of(state, rank, thread);
  if (partner.phase != ThreadPhase::in_barrier) {
    thread.phase = ThreadPhase::in_barrier;
    return false;
  }
  const HostCosts& host = state.program->host;
  open_barrier(pairing, thread);
  open_barrier(pairing, partner);
  const Stamp second_arrival = thread.at;
  schedule_leave(partner, second_arrival, host.rendezvous_ns + host.wake_ns);
  if (host.rendezvous_ns > 0) {
    schedule_leave(thread, second_arrival, host.rendezvous_ns);
    return false;
  }
  if (role == Role::comm) return true;
  thread.phase = ThreadPhase::in_notify;
  return false;
}

bool may_leave(RankState& rank, ThreadState& thread) {
  const Pairing& pairing = rank.pairing;
  const std::size_t side = side_of(thread);
  if (role_of(thread) == Role::comm || pairing.notified[side] || pairing.departed[1 - side]) {
    return true;
  }
  thread.phase = ThreadPhase::in_notify;
  return false;
}

void notify(State& state, RankState& rank, const ThreadState& thread, Role role, const Stamp& at) {
  Pairing& pairing = rank.pairing;
  const std::size_t side = side_of(thread);
  if (role != Role::comm || pairing.forked == kNobody || !pairing.owes_notify[side]) return;
  pairing.owes_notify[side] = false;
  pairing.notified[1 - side] = true;
  ThreadState& partner = partner_of(state, rank, thread);
  if (partner.phase == ThreadPhase::in_notify) resume_blocked(state, partner, at);
}

void depart(State& state, RankState& rank, const ThreadState& thread, const Stamp& at) {
  Pairing& pairing = rank.pairing;
  if (pairing.forked == kNobody) return;
  pairing.departed[side_of(thread)] = true;
  ThreadState& partner = partner_of(state, rank, thread);
  if (partner.phase == ThreadPhase::in_barrier || partner.phase == ThreadPhase::in_notify) {
    resume_blocked(state, partner, at);
  }
}

void release_lock(State& state, RankState& rank, const ThreadState& holder, const Stamp& at) {
  if (rank.pairing.forked == kNobody) return;
  ThreadState& partner = partner_of(state, rank, holder);
  if (partner.phase != ThreadPhase::in_lock) return;
  partner.phase = ThreadPhase::beginning;
  partner.waited_for_lock = true;
  partner.at = turn_after(at, partner.number);
}

void resume_blocked(const State& state, ThreadState& thread, const Stamp& cause) {
  const TimeNs wake_ns = state.program->host.wake_ns;
  thread.phase = ThreadPhase::busy;
  thread.at = wake_ns > 0 ? first_turn(cause.time + wake_ns, thread.number)
                          : turn_after(cause, thread.number);
}

}  // namespace steptwin::sim
