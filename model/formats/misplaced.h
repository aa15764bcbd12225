#pragma once

#include <cstdint>

namespace steptwin {

// What a reader of step lists does with steps that are not on the rank of their stage.
//
//   refused  an Error: what is read can be run
//   kept     they stay where they are, for check_schedule to find. A stage is then held by the rank
//            that computes most of it, the first in the text at a tie; if none does, by the rank
//            that names it most often. Steps of stages above all computed ones are kept too.
enum class Misplaced : std::uint8_t { refused, kept };

}  // namespace steptwin
