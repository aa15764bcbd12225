#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace steptwin {

// Adds "1 bubble left out", "12 bubbles left out", or nothing if there is none.
inline void add_counted_note(std::vector<std::string>& notes, std::int64_t count, const char* one,
                             const char* many, const char* what_of_it) {
  if (count > 0)
    notes.push_back(fmt::format("{} {} {}", count, count == 1 ? one : many, what_of_it));
}

}  // namespace steptwin
