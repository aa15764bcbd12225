#include "hw/coordinator.h"

namespace steptwin::hw {
namespace {

std::size_t index_of(Coordinator::Side side) {
  return side == Coordinator::Side::main ? 0 : 1;
}

}  // namespace

template <typename Condition>
void Coordinator::wait(Lock& lock, Condition condition) {
  if (!changed_.wait(lock, stop_.token(), condition)) throw Stopped();
}

void Coordinator::enable() {
  const Lock lock(mutex_);
  enabled_ = true;
  departed_ = owes_notify_ = notified_ = in_barrier_ = {};
}

void Coordinator::disable() {
  const Lock lock(mutex_);
  enabled_ = false;
  changed_.notify_all();
}

void Coordinator::open_barrier() {
  ++opened_;
  in_barrier_ = {};
  notified_ = {};
  for (std::size_t side = 0; side < role_.size(); ++side) {
    if (role_[side] == Role::comm) owes_notify_[side] = true;
  }
  changed_.notify_all();
}

void Coordinator::rendezvous(Side side, Role role, std::atomic<ThreadStop>& where) {
  Lock lock(mutex_);
  const std::size_t own = index_of(side);
  const std::size_t other = 1 - own;
  const auto alone = [&] { return !enabled_ || departed_[other]; };
  if (alone()) return;
  role_[own] = role;
  if (in_barrier_[other]) {
    open_barrier();
  } else {
    in_barrier_[own] = true;
    const std::uint64_t before = opened_;
    where = ThreadStop::in_barrier;
    wait(lock, [&] { return opened_ != before || alone(); });
    const bool met = opened_ != before;
    if (!met) {
      in_barrier_[own] = false;
      where = ThreadStop::running;
      return;
    }
  }
  if (role == Role::compute) {
    where = ThreadStop::in_notify;
    wait(lock, [&] { return notified_[own] || alone(); });
  }
  where = ThreadStop::running;
}

void Coordinator::notify(Side side, Role role) {
  const Lock lock(mutex_);
  const std::size_t own = index_of(side);
  if (role != Role::comm || !enabled_ || !owes_notify_[own]) return;
  owes_notify_[own] = false;
  notified_[1 - own] = true;
  changed_.notify_all();
}

void Coordinator::depart(Side side) {
  const Lock lock(mutex_);
  departed_[index_of(side)] = true;
  changed_.notify_all();
}

}  // namespace steptwin::hw
