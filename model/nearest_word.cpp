#include "model/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace steptwin {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Optimal string alignment by rows: the distances of the first `i` bytes of `left` to every
// beginning of `right`.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const char a = lower(left[i - 1]);
      const char b = lower(right[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a == b ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a == lower(right[j - 2]) && lower(left[i - 2]) == b;
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[right.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word,
                              const std::vector<std::string_view>& candidates) {
  std::string_view nearest;
  std::size_t least = 0;
  for (const std::string_view candidate : candidates) {
    const std::size_t shorter = std::min(word.size(), candidate.size());
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t limit = (longer + 2) / 3;
    if (longer - shorter > limit) continue;
    const std::size_t found = distance(word, candidate);
    if (found > limit || (!nearest.empty() && found >= least)) continue;
    nearest = candidate;
    least = found;
  }
  return nearest;
}

}  // namespace steptwin
