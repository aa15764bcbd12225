#include "model/schedules/v_pass.h"

namespace steptwin {

bool is_forward(VPass pass) {
  return pass == VPass::forward_down || pass == VPass::forward_up;
}

std::int32_t stage_of(VPass pass, std::int32_t rank, std::int32_t ranks) {
  const bool down = pass == VPass::forward_down || pass == VPass::backward_down;
  return down ? rank : 2 * ranks - 1 - rank;
}

std::optional<VPlace> input_of(const VPlace& place, std::int32_t ranks) {
  // Forwards down and backwards up come from the rank before, the others from the rank after.
  const bool from_before = place.pass == VPass::forward_down || place.pass == VPass::backward_up;
  const std::int32_t neighbour = from_before ? place.rank - 1 : place.rank + 1;
  if (neighbour >= 0 && neighbour < ranks) return VPlace{neighbour, place.pass};
  if (place.pass == VPass::forward_down) return std::nullopt;
  const int turned_from = static_cast<int>(place.pass) - 1;
  return VPlace{place.rank, static_cast<VPass>(turned_from)};
}

}  // namespace steptwin
