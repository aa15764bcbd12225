#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/schedules/v_pass.h"
#include "model/step.h"

namespace steptwin {

// V schedules are found in cells: every pass takes one, whatever it costs, and only the order
// that results is used.
using Cell = std::int32_t;

// The building block: in which cell each rank runs each pass of micro-batch 0. Micro-batch m does
// the same 6 m cells later; six cells are two forwards, two BWD_INPUT and two BWD_WEIGHT.
using VBlock = std::vector<std::array<Cell, kVPasses>>;  // by rank
inline constexpr Cell kVPeriod = 6;

// Time and memory of these schedules grow with R (R + M), a cell for each rank and moment.
inline constexpr std::int32_t kMostCellRanks = 1024;
void check_cell_ranks(std::string_view schedule, std::int32_t ranks);  // throws Error

// In which cells one rank runs what.
struct VCells {
  std::array<std::vector<Cell>, kVPasses> passes;  // by micro-batch, ascending
  std::vector<Cell> weights;                       // BWD_WEIGHTs, of whichever stage; ascending

  std::vector<Cell>& of(VPass pass) { return passes[static_cast<std::size_t>(pass)]; }
  const std::vector<Cell>& of(VPass pass) const { return passes[static_cast<std::size_t>(pass)]; }
};

std::vector<VCells> repeated(const VBlock& block, std::int32_t micro_batches);

// The first cell that the rank's next `pass` can have: after its input, and after the pass of its
// kind before it. A backward takes `backward_cells`. `placed` has everything that comes before.
Cell earliest_cell(const std::vector<VCells>& placed, const VPlace& next, Cell backward_cells);

// What a rank runs by cell, and so without the numbers of the micro-batches: each kind runs
// through them in order.
enum class CellWork : std::uint8_t {
  none,
  forward_down,
  forward_up,
  backward_up,
  backward_down,
  weight,
};
CellWork work_of(VPass pass);
VPass pass_of(CellWork work);  // not of none or weight
bool is_backward(CellWork work);
std::vector<CellWork> by_cell(const VCells& cells);

// Visits the work of all ranks cell by cell, ranks ascending: visit(cell, rank, work, how manieth
// of its kind on its rank).
template <typename Visit>
void sweep(const std::vector<VCells>& ranks, Visit&& visit) {
  std::vector<std::vector<CellWork>> lines;
  std::size_t longest = 0;
  for (const VCells& cells : ranks) {
    lines.push_back(by_cell(cells));
    longest = std::max(longest, lines.back().size());
  }
  std::vector<std::array<std::int32_t, kVPasses + 2>> counts(ranks.size());
  for (std::size_t cell = 0; cell < longest; ++cell) {
    for (std::size_t rank = 0; rank < lines.size(); ++rank) {
      if (cell >= lines[rank].size() || lines[rank][cell] == CellWork::none) continue;
      const CellWork work = lines[rank][cell];
      visit(static_cast<Cell>(cell), static_cast<std::int32_t>(rank), work,
            counts[rank][static_cast<std::size_t>(work)]++);
    }
  }
}

// Gives the rank's BWD_WEIGHTs the cells that are free once there is a backward for them, and the
// rest the cells after its last pass.
void fill_weights(VCells& cells);

// Every rank does the same in the same order, each pass as early as its input allows.
std::vector<VCells> squeezed(const std::vector<VCells>& ranks);

// The rank's steps in the order of their cells, its BWD_WEIGHTs in the free ones, as in
// fill_weights; those of the stage on the way up go first.
StepList steps_by_cell(const VCells& cells, std::int32_t rank, std::int32_t ranks);

}  // namespace steptwin
