#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace steptwin {

// V schedules: rank r of R holds stage r, on the way down, and stage 2R-1-r, on the way up. A
// micro-batch passes each rank four times:
enum class VPass : std::uint8_t { forward_down, forward_up, backward_up, backward_down };
inline constexpr std::size_t kVPasses = 4;

bool is_forward(VPass pass);
std::int32_t stage_of(VPass pass, std::int32_t rank, std::int32_t ranks);

// The pass of the same micro-batch whose output a pass consumes: on the neighbouring rank, or on
// the same one where the V turns. Nothing for the first of all, the forward of stage 0.
struct VPlace {
  std::int32_t rank = 0;
  VPass pass = VPass::forward_down;
};
std::optional<VPlace> input_of(const VPlace& place, std::int32_t ranks);

}  // namespace steptwin
