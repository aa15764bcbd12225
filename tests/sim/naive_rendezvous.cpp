#include "tests/sim/naive_state.h"

namespace steptwin::naive {
namespace {

std::size_t side_of(std::int32_t thread) {
  return thread == 0 ? 0 : 1;
}

// The barrier opens: both sides of it now have a time to leave at.
void open_barrier(const State& state, SideState& first, SideState& second) {
  const TimeNs opened_ns = state.now_ns + state.program->host.rendezvous_ns;
  second.leave_ns = opened_ns;
  first.leave_ns = opened_ns + state.program->host.wake_ns;
  for (SideState* side : {&first, &second}) {
    side->stand = Stand::leaving;
    side->needs_notify = side->role == Role::compute;
  }
  first.partner_is_comm = second.role == Role::comm;
  second.partner_is_comm = first.role == Role::comm;
}

void complete(SideState& side) {
  side.stand = Stand::outside;
  if (side.role == Role::comm) side.owes_notify = true;
}

}  // namespace

void begin_overlap(RankState& rank, std::int32_t forked) {
  rank.forked = forked;
  rank.sides = {};
}

void end_overlap(RankState& rank) {
  rank.forked = -1;
}

bool arrive(State& state, std::int32_t rank, std::int32_t thread, Role role) {
  RankState& rank_state = state.ranks[at(rank)];
  if (rank_state.forked < 0) return true;
  SideState& side = rank_state.sides[side_of(thread)];
  SideState& partner = rank_state.sides[1 - side_of(thread)];
  side.role = role;
  side.leave_ns = kNever;
  side.notified_ns = kNever;
  side.released_ns = kNever;
  if (partner.departed) {
    complete(side);
    return true;
  }
  // A partner that was released by a departure is no longer there, though it has not resumed yet.
  if (partner.stand != Stand::at_barrier || partner.released_ns != kNever) {
    side.stand = Stand::at_barrier;
    return false;
  }
  open_barrier(state, partner, side);
  return look_again(state, rank, thread);
}

bool look_again(State& state, std::int32_t rank, std::int32_t thread) {
  SideState& side = state.ranks[at(rank)].sides[side_of(thread)];
  const std::optional<TimeNs> when_ns = leaves_ns(state, rank, thread);
  if (!when_ns || *when_ns > state.now_ns) return false;
  if (side.stand == Stand::leaving && side.needs_notify && side.notified_ns == kNever) {
    side.stand = Stand::awaiting_notify;
    return false;
  }
  complete(side);
  return true;
}

void notify(State& state, std::int32_t rank, std::int32_t thread, Role role) {
  RankState& rank_state = state.ranks[at(rank)];
  if (rank_state.forked < 0 || role != Role::comm) return;
  SideState& side = rank_state.sides[side_of(thread)];
  if (!side.owes_notify) return;
  side.owes_notify = false;
  SideState& partner = rank_state.sides[1 - side_of(thread)];
  const bool in_our_barrier =
      (partner.stand == Stand::leaving || partner.stand == Stand::awaiting_notify) &&
      partner.partner_is_comm;
  // A partner that our departure has released already resumes because of that.
  if (in_our_barrier && partner.released_ns == kNever) partner.notified_ns = state.now_ns;
}

void depart(State& state, std::int32_t rank, std::int32_t thread) {
  RankState& rank_state = state.ranks[at(rank)];
  if (rank_state.forked < 0) return;
  rank_state.sides[side_of(thread)].departed = true;
  SideState& partner = rank_state.sides[1 - side_of(thread)];
  switch (partner.stand) {
    case Stand::outside:
      return;
    case Stand::leaving:
      partner.needs_notify = false;
      return;
    case Stand::at_barrier:
    case Stand::awaiting_notify:
      if (partner.notified_ns != kNever || partner.released_ns != kNever) return;
      partner.released_ns = state.now_ns;
      return;
  }
}

std::optional<TimeNs> leaves_ns(const State& state, std::int32_t rank, std::int32_t thread) {
  const SideState& side = state.ranks[at(rank)].sides[side_of(thread)];
  if (side.stand == Stand::leaving) return side.leave_ns;
  const bool notified = side.stand == Stand::awaiting_notify && side.notified_ns != kNever;
  const TimeNs freed_ns = notified ? side.notified_ns : side.released_ns;
  if (freed_ns == kNever) return std::nullopt;
  return freed_ns + state.program->host.wake_ns;
}

}  // namespace steptwin::naive
