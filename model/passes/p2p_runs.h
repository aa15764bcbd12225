#pragma once

#include <cstddef>

#include "model/schedule.h"

namespace steptwin {

// One past the last of the P2P steps that begin at `entry` without a gap; `entry` if it is none.
inline std::size_t end_of_p2p_run(const StepList& list, std::size_t entry) {
  while (entry < list.size() && list[entry] && is_p2p(list[entry]->type)) ++entry;
  return entry;
}

}  // namespace steptwin
