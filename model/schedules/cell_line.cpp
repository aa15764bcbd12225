#include "model/schedules/cell_line.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace steptwin {

Cell CellLine::first_free(Cell from, Cell width) const {
  Cell free = 0;  // cells in a row
  for (Cell cell = from; cell < end(); ++cell) {
    free = used_[static_cast<std::size_t>(cell)] ? 0 : free + 1;
    if (free == width) return cell + 1 - width;
  }
  return std::max(from, end() - free);
}

Cell CellLine::first_with_room(Cell from, std::int32_t limit) const {
  if (!live_.empty() && live_.back() >= limit) return kNever;
  Cell first = std::max(from, end());
  while (first > from && live_[static_cast<std::size_t>(first) - 1] < limit) --first;
  return first;
}

void CellLine::place(Cell cell, Cell width, std::int32_t live_change) {
  extend_to(cell + width);
  const auto first = static_cast<std::size_t>(cell);
  const std::size_t last = first + static_cast<std::size_t>(width) - 1;
  for (std::size_t at = first; at <= last; ++at) {
    assert(!used_[at]);
    used_[at] = true;
  }
  for (std::size_t at = last; at < live_.size(); ++at) live_[at] += live_change;
}

void CellLine::extend_to(Cell end) {
  const auto size = static_cast<std::size_t>(end);
  if (live_.size() >= size) return;
  live_.resize(size, live_.empty() ? 0 : live_.back());
  used_.resize(size, false);
}

}  // namespace steptwin
