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

TEST_CASE("hooks are named by letter and layer, the layer counted from 1, and read back") {
  CHECK(hook_label({Hook::a, 0}) == "A1");
  CHECK(hook_label({Hook::d, 11}) == "D12");
  CHECK(hook_label({Hook::c, -1}) == "C");
  CHECK(hook_label({Hook::d_last, -1}) == "D_LAST");
  CHECK(hook_label({}) == "");
  for (const HookPlace& place : {HookPlace{}, HookPlace{Hook::a, 0}, HookPlace{Hook::d, 11},
                                 HookPlace{Hook::c, -1}, HookPlace{Hook::d_last, -1}}) {
    CHECK(hook_labelled(hook_label(place)) == place);
  }
  for (const char* label :
       {"E1", "-1", "-", "A0", "A01", "A-1", "A1 ", "a1", "D_LAST1", "A9999999999"}) {
    CAPTURE(label);
    CHECK_FALSE(hook_labelled(label).has_value());
  }
}

TEST_CASE("layers are numbered from 1, and -1 is none") {
  CHECK(layer_number(0) == 1);
  CHECK(layer_number(11) == 12);
  CHECK(layer_number(-1) == -1);
}

}  // namespace
}  // namespace steptwin
