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
  std::array<std::array<TimeNs, 2>, 5> by_hook_and_role_ns = {};

  TimeNs& of(Hook hook, Role role) {
    return by_hook_and_role_ns[static_cast<std::size_t>(hook)][static_cast<std::size_t>(role)];
  }
  TimeNs of(Hook hook, Role role) const {
    return by_hook_and_role_ns[static_cast<std::size_t>(hook)][static_cast<std::size_t>(role)];
  }
};
std::vector<RendezvousTimes> rendezvous_times(const Trace& trace);  // by rank

// When at least one host thread of a rank is inside a rendezvous.
std::vector<IntervalSet> rendezvous_sets(const Trace& trace);  // by rank

}  // namespace steptwin::reports
