#include "model/schedules/v_half.h"

#include <string>
#include <utility>

#include "model/schedules/at_least_one.h"
#include "model/schedules/v_cells.h"
#include "model/schedules/v_compact.h"

namespace steptwin {
namespace {

VBlock v_half_block(std::int32_t ranks) {
  const Cell shift = ranks % 2 == 0 ? 3 : 0;
  VBlock block;
  for (Cell rank = 0; rank < ranks; ++rank) {
    block.push_back({2 * rank, 3 * ranks - 2 - rank, 3 * ranks - 1 + 2 * rank + shift,
                     6 * ranks - 2 - rank + shift});
  }
  return block;
}

VBlock v_min_block(std::int32_t ranks) {
  const Cell shift = ranks % 3 == 0 ? 2 : 0;
  VBlock block;
  for (Cell rank = 0; rank < ranks; ++rank) {
    block.push_back(
        {rank, 2 * ranks - 1 - rank, 2 * ranks + rank + shift, 4 * ranks - 1 - rank + shift});
  }
  return block;
}

Schedule from_block(std::string name, const VBlock& block, std::int32_t micro_batches) {
  std::vector<VCells> cells = repeated(block, micro_batches);
  for (VCells& rank : cells) fill_weights(rank);
  cells = squeezed(with_ends_compacted(cells));
  for (VCells& rank : cells) rank.weights.clear();
  cells = with_cool_down_compacted(cells);
  for (VCells& rank : cells) fill_weights(rank);
  cells = squeezed(cells);

  const auto ranks = static_cast<std::int32_t>(block.size());
  Schedule schedule{std::move(name), v_map(ranks, 2), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    schedule.ranks.push_back(steps_by_cell(cells[static_cast<std::size_t>(rank)], rank, ranks));
  }
  return schedule;
}

}  // namespace

Schedule v_half(std::int32_t ranks, std::int32_t micro_batches) {
  check_at_least_one("v_half", ranks, 2, micro_batches);
  check_cell_ranks("v_half", ranks);
  return from_block("v_half", v_half_block(ranks), micro_batches);
}

Schedule v_min(std::int32_t ranks, std::int32_t micro_batches) {
  check_at_least_one("v_min", ranks, 2, micro_batches);
  check_cell_ranks("v_min", ranks);
  return from_block("v_min", v_min_block(ranks), micro_batches);
}

}  // namespace steptwin
