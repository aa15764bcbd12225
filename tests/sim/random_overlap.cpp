#include "tests/sim/random_overlap.h"

#include <algorithm>

namespace steptwin {
namespace {

// A rendezvous whose roles do not pair, or that only one side comes to, or a stray notify.
void draw_wrong_rendezvous(RandomRank& rank, Draw& draw) {
  switch (draw.between(0, 3)) {
    case 0:
    case 1: {
      const Role role = draw.chance(0.7) ? Role::comm : Role::compute;
      rank.main.rendezvous(role);
      rank.forked->rendezvous(role);
      return;
    }
    case 2:
      return rank.side(draw.between32(0, 1)).rendezvous(Role::comm);
    default:
      return rank.side(draw.between32(0, 1)).notify(Role::comm);
  }
}

// A notify that has nothing to say any more, while the partner may still be waking up.
void draw_late_notify(ThreadWriter& writer, Draw& draw) {
  writer.host_work(draw.between(0, 2));
  writer.notify(Role::comm);
}

// One side departs, the other still comes to rendezvous it expected a partner for.
void run_on_alone(RandomRank& rank, std::int32_t side, Draw& draw) {
  for (std::int64_t left = draw.between(1, 3); left > 0; --left) {
    ThreadWriter& writer = rank.side(side);
    writer.rendezvous(draw.chance(0.5) ? Role::comm : Role::compute);
    if (draw.chance(0.5)) writer.host_work(draw.between(0, 5));
    if (draw.chance(0.5)) writer.notify(Role::comm);
  }
}

}  // namespace

void open_overlap(RandomRank& rank, Draw& draw, double wrong_overlaps) {
  rank.forked = rank.main.fork();
  rank.wrong = draw.chance(wrong_overlaps);
  rank.comm_side = -1;
  std::fill(rank.owner.begin(), rank.owner.end(), -1);
}

void pay_notify(RandomRank& rank, Draw& draw) {
  if (rank.comm_side < 0) return;
  const bool forget = rank.wrong && draw.chance(0.2);
  if (!forget) rank.side(rank.comm_side).notify(Role::comm);
  if (draw.chance(0.1)) draw_late_notify(rank.side(rank.comm_side), draw);
  if (draw.chance(0.3)) rank.side(1 - rank.comm_side).notify(Role::compute);
  rank.comm_side = -1;
}

void draw_rendezvous(RandomRank& rank, Draw& draw) {
  pay_notify(rank, draw);
  if (rank.wrong && draw.chance(0.4)) return draw_wrong_rendezvous(rank, draw);
  rank.comm_side = draw.between32(0, 1);
  rank.side(rank.comm_side).rendezvous(Role::comm);
  rank.side(1 - rank.comm_side).rendezvous(Role::compute);
}

void close_overlap(RandomRank& rank, Draw& draw) {
  // A departure frees the partner as well as a notify does.
  const bool by_departure = rank.comm_side >= 0 && draw.chance(0.3);
  const std::int32_t first = by_departure ? rank.comm_side : draw.between32(0, 1);
  if (!by_departure) pay_notify(rank, draw);
  const bool departs = by_departure || draw.chance(0.8);
  if (departs) rank.side(first).depart();
  if (departs && draw.chance(0.2)) draw_late_notify(rank.side(first), draw);
  if (departs && draw.chance(0.5)) run_on_alone(rank, 1 - first, draw);
  if (draw.chance(0.7)) rank.side(1 - first).depart();
  rank.main.join(*rank.forked);
  rank.forked.reset();
  rank.comm_side = -1;
}

std::int32_t draw_side(RandomRank& rank, Draw& draw) {
  if (!rank.forked) return 0;
  if (rank.comm_side >= 0 && draw.chance(0.4)) pay_notify(rank, draw);
  return rank.comm_side >= 0 ? rank.comm_side : draw.between32(0, 1);
}

std::int32_t draw_side_for(RandomRank& rank, std::int32_t communicator, bool keep_order,
                           Draw& draw) {
  if (!rank.forked) return 0;
  std::int32_t& owner = rank.owner[static_cast<std::size_t>(communicator)];
  if (owner < 0 || (!keep_order && draw.chance(0.3))) {
    const std::int32_t side = draw_side(rank, draw);
    if (owner < 0) owner = side;
    return side;
  }
  if (rank.comm_side >= 0 && rank.comm_side != owner) pay_notify(rank, draw);
  return owner;
}

}  // namespace steptwin
