#pragma once

#include "model/program.h"

namespace steptwin {

// The A/B/C/D roles: what a thread has just launched, and what it launches next.
//
//   hook              forward             backward
//   A before dispatch COMPUTE -> COMM     COMM -> COMPUTE
//   B after dispatch  COMM -> COMPUTE     COMPUTE -> COMM
//   C before combine  COMPUTE -> COMM     COMM -> COMPUTE
//   D after combine   COMM -> COMPUTE     COMPUTE -> COMM
//
// A hook is notify(previous), then rendezvous(next). The last D of a chunk is notify(COMM) alone
// in the forward and nothing in the backward, which leaves 4L - 1 rendezvous for L layers.
struct HookRoles {
  Role previous = Role::comm;
  Role next = Role::comm;
};

inline HookRoles hook_roles(Hook hook, bool forward) {
  const bool before_comm = hook == Hook::a || hook == Hook::c;
  if (before_comm == forward) return {Role::compute, Role::comm};
  return {Role::comm, Role::compute};
}

}  // namespace steptwin
