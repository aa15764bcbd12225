#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace steptwin {

// The middle of the sorted values; of an even count the mean of the two in the middle (of whole
// numbers rounded towards 0); none of none.
template <typename Value>
std::optional<Value> median(std::vector<Value> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace steptwin
