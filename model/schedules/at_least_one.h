#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string_view>

#include "model/error.h"

namespace steptwin {

// The rule every schedule shares: at least one rank, one chunk per rank and one micro-batch.
inline void check_at_least_one(std::string_view schedule, std::int32_t ranks,
                               std::int32_t chunks_per_rank, std::int32_t micro_batches) {
  const auto check = [schedule](std::string_view what, std::int32_t count) {
    if (count < 1) {
      throw Error(fmt::format("{} with {} {}", schedule, count, what),
                  fmt::format("at least 1 of the {}", what));
    }
  };
  check("ranks", ranks);
  check("chunks per rank", chunks_per_rank);
  check("micro-batches", micro_batches);
}

}  // namespace steptwin
