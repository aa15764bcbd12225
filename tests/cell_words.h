#pragma once

#include <cassert>
#include <cstddef>
#include <string>
#include <vector>

#include "model/schedules/v_cells.h"

namespace steptwin {

// A rank's cells, a letter each: F and B down, f and b up, w a BWD_WEIGHT, a dot for a free cell.
inline const std::string kCellLetters = ".FfbBw";

inline std::string cell_text(const VCells& cells) {
  std::string text;
  for (const CellWork work : by_cell(cells)) text += kCellLetters[static_cast<std::size_t>(work)];
  return text;
}

inline VCells cells_of(const std::string& line) {
  VCells cells;
  for (std::size_t cell = 0; cell < line.size(); ++cell) {
    const std::size_t letter = kCellLetters.find(line[cell]);
    assert(letter != std::string::npos);
    const auto work = static_cast<CellWork>(letter);
    if (work == CellWork::none) continue;
    std::vector<Cell>& kind = work == CellWork::weight ? cells.weights : cells.of(pass_of(work));
    kind.push_back(static_cast<Cell>(cell));
  }
  return cells;
}

}  // namespace steptwin
