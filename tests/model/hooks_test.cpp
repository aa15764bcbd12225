#include "model/hooks.h"

#include <doctest/doctest.h>

namespace steptwin {
namespace {

bool is(const HookRoles& roles, Role previous, Role next) {
  return roles.previous == previous && roles.next == next;
}

//   hook   forward            backward
//   A, C   COMPUTE -> COMM    COMM -> COMPUTE
//   B, D   COMM -> COMPUTE    COMPUTE -> COMM
TEST_CASE("the role table: the backward plays the other part of every hook") {
  for (const Hook hook : {Hook::a, Hook::c}) {
    CHECK(is(hook_roles(hook, true), Role::compute, Role::comm));
    CHECK(is(hook_roles(hook, false), Role::comm, Role::compute));
  }
  for (const Hook hook : {Hook::b, Hook::d}) {
    CHECK(is(hook_roles(hook, true), Role::comm, Role::compute));
    CHECK(is(hook_roles(hook, false), Role::compute, Role::comm));
  }
}

// The hooks of two layers forward meet those of two layers backward in this order; the last D of
// either has no rendezvous. Each meeting needs one COMM and one COMPUTE side, as the chain needs:
// whoever has just launched communication lets the other one launch its own.
TEST_CASE("each of the 4L - 1 meetings has one COMM and one COMPUTE side") {
  const Hook forward[] = {Hook::a, Hook::b, Hook::c, Hook::d, Hook::a, Hook::b, Hook::c};
  const Hook backward[] = {Hook::c, Hook::b, Hook::a, Hook::d, Hook::c, Hook::b, Hook::a};
  Role before_forward = Role::compute;  // attention
  for (int meeting = 0; meeting < 7; ++meeting) {
    CAPTURE(meeting);
    const HookRoles mine = hook_roles(forward[meeting], true);
    const HookRoles theirs = hook_roles(backward[meeting], false);
    CHECK(mine.next != theirs.next);
    CHECK(mine.previous != theirs.previous);
    CHECK(mine.previous == before_forward);
    before_forward = mine.next;
  }
}

}  // namespace
}  // namespace steptwin
