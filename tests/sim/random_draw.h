#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace steptwin {

// Draws from one generator. std::uniform_int_distribution is left out on purpose: its values are
// the library's choice, and a seed should mean the same Program everywhere.
class Draw {
 public:
  explicit Draw(std::mt19937_64& random) : random_(&random) {}

  // Both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    assert(low <= high);
    const auto width = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>((*random_)() % width);
  }
  std::int32_t between32(std::int64_t low, std::int64_t high) {
    return static_cast<std::int32_t>(between(low, high));
  }
  bool chance(double probability) {
    return static_cast<double>((*random_)() >> 11U) < probability * 9007199254740992.0;  // 2^53
  }
  template <typename Item>
  const Item& pick(const std::vector<Item>& items) {
    assert(!items.empty());
    return items[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(items.size()) - 1))];
  }

 private:
  std::mt19937_64* random_;
};

}  // namespace steptwin
