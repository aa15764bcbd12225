#pragma once

#include <algorithm>
#include <cstdlib>

namespace steptwin {

// How many random cases a property test runs: `full`, or the share of it that the environment
// variable STEPTWIN_PROPERTY_SHARE asks for, as the slower sanitizer builds do; at least one.
inline int property_count(int full) {
  const char* share = std::getenv("STEPTWIN_PROPERTY_SHARE");
  if (share == nullptr) return full;
  return std::max(1, static_cast<int>(full * std::atof(share)));
}

}  // namespace steptwin
