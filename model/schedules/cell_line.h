#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/schedules/v_cells.h"

namespace steptwin {

// What one rank runs in which cell, as far as it is placed, and how many of its forwards are still
// live, that is, without their backward or BWD_WEIGHT. Work may be placed into free cells before
// end(); beyond it all cells are free.
class CellLine {
 public:
  static constexpr Cell kNever = std::numeric_limits<Cell>::max();

  Cell end() const { return static_cast<Cell>(live_.size()); }

  // The first cell from `from` on that begins `width` free ones.
  Cell first_free(Cell from, Cell width) const;

  // The first cell from `from` on from which on fewer than `limit` are live all the time; kNever if
  // that many are live at the end.
  Cell first_with_room(Cell from, std::int32_t limit) const;

  // `live_change` counts from the last of the cells on.
  void place(Cell cell, Cell width, std::int32_t live_change);

 private:
  void extend_to(Cell end);

  std::vector<bool> used_;          // by cell
  std::vector<std::int32_t> live_;  // by cell: after it
};

}  // namespace steptwin
