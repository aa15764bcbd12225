#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/trace.h"
#include "reports/intervals.h"

namespace steptwin::reports {

inline constexpr std::array<Hook, 4> kHooks = {Hook::a, Hook::b, Hook::c, Hook::d};
inline constexpr std::array<Role, 2> kRoles = {Role::comm, Role::compute};

// Host time that a rank's threads spend in rendezvous, summed over threads: two threads that wait
// at the same time count twice.
struct RendezvousTimes {
  TimeNs total_ns = 0;
  std::array<std::array<TimeNs, 2>, 6> by_hook_and_role_ns = {};

  TimeNs& of(Hook hook, Role role) {
    return by_hook_and_role_ns[static_cast<std::size_t>(hook)][static_cast<std::size_t>(role)];
  }
  TimeNs of(Hook hook, Role role) const {
    return by_hook_and_role_ns[static_cast<std::size_t>(hook)][static_cast<std::size_t>(role)];
  }
};
std::vector<RendezvousTimes> rendezvous_times(const Trace& trace);  // by rank

// When a rendezvous itself holds a rank's thread: it is in one, and the thread it meets there does
// no host work (it is in the rendezvous too, in a host_wait, or not there). While the other thread
// still launches, records or waits for the launch lock, it is the host that is slow.
//
//   main      ..rendezvous........................launch..
//   forked    launch......rendezvous..............
//                host     |   held               |
struct HeldInRendezvous {
  IntervalSet main;
  IntervalSet forked;  // whichever forked thread is alive: there is one at a time
};
std::vector<HeldInRendezvous> held_in_rendezvous(const Trace& trace);  // by rank

// When the first command of every thread begins, by rank and thread; 0 for one without records.
std::vector<std::vector<TimeNs>> thread_begins(const Trace& trace);

}  // namespace steptwin::reports
