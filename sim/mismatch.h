#pragma once

#include <cstdint>

#include "model/program.h"

namespace steptwin::sim {

// Two calls that match by position but do not agree: throw Error naming both.
[[noreturn]] void throw_part_mismatch(const Program& program, std::int32_t part_index,
                                      std::int32_t other_index);
[[noreturn]] void throw_call_mismatch(const Program& program, std::int64_t kernel,
                                      std::int64_t other_kernel);

}  // namespace steptwin::sim
