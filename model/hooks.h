#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
// A hook is notify(previous), then rendezvous(next). The last D of a chunk, D_LAST, is notify(COMM)
// alone in the forward and nothing in the backward, which leaves 4L - 1 rendezvous for L layers.
struct HookRoles {
  Role previous = Role::comm;
  Role next = Role::comm;
};

inline HookRoles hook_roles(Hook hook, bool forward) {
  const bool before_comm = hook == Hook::a || hook == Hook::c;
  if (before_comm == forward) return {Role::compute, Role::comm};
  return {Role::comm, Role::compute};
}

// A layer as people and files number it: from 1 within its stage, as hooks do; -1 for none.
inline std::int32_t layer_number(std::int32_t layer) {
  return layer < 0 ? -1 : layer + 1;
}

// A hook and the layer, from 0, that it belongs to.
struct HookPlace {
  Hook hook = Hook::none;
  std::int32_t layer = -1;

  friend bool operator==(const HookPlace&, const HookPlace&) = default;
};

// "A1" is the hook before the dispatch of a stage's first layer. "D_LAST"; "C" without a layer; ""
// for no hook. And back: nothing for any other text.
std::string hook_label(const HookPlace& place);
std::optional<HookPlace> hook_labelled(std::string_view label);

}  // namespace steptwin
