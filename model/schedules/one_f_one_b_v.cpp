#include "model/schedules/one_f_one_b_v.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "model/schedules/at_least_one.h"
#include "model/schedules/cell_line.h"
#include "model/schedules/v_cells.h"

namespace steptwin {
namespace {

constexpr Cell kBackwardCells = 2;

Cell width_of(VPass pass) {
  return is_forward(pass) ? 1 : kBackwardCells;
}

// See the header. The backwards are counted so that a gap comes before the last one of the way up.
VBlock building_block(std::int32_t ranks) {
  VBlock block(static_cast<std::size_t>(ranks));
  const auto cell_of = [&block](std::int32_t rank, VPass pass) -> Cell& {
    return block[static_cast<std::size_t>(rank)][static_cast<std::size_t>(pass)];
  };
  Cell next = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) cell_of(rank, VPass::forward_down) = next++;
  for (std::int32_t rank = ranks; rank-- > 0;) cell_of(rank, VPass::forward_up) = next++;
  if (ranks % 3 == 0) next += kVPeriod / 2;
  std::int32_t in_a_row = (3 - (ranks + 2) % 3) % 3;
  const auto put_backward = [&](std::int32_t rank, VPass pass) {
    cell_of(rank, pass) = next;
    next += kBackwardCells;
    if (++in_a_row < 3) return;
    in_a_row = 0;
    next += kVPeriod / 2;
  };
  for (std::int32_t rank = 0; rank < ranks; ++rank) put_backward(rank, VPass::backward_up);
  for (std::int32_t rank = ranks; rank-- > 0;) put_backward(rank, VPass::backward_down);
  return block;
}

class Compactor {
 public:
  explicit Compactor(const std::vector<VCells>& ranks)
      : limit_(most_live(ranks)), placed_(ranks.size()), lines_(ranks.size()) {}

  void advance(Cell cell, std::int32_t rank, VPass pass) {
    const auto index = static_cast<std::size_t>(rank);
    CellLine& line = lines_[index];
    Cell first = earliest_cell(placed_, {rank, pass}, kBackwardCells);
    if (is_forward(pass)) first = line.first_with_room(first, limit_);
    if (first < cell) first = line.first_free(first, width_of(pass));
    const Cell target = first + width_of(pass) <= cell ? first : cell;
    placed_[index].of(pass).push_back(target);
    line.place(target, width_of(pass), is_forward(pass) ? 1 : -1);
  }

  std::vector<VCells> take() { return std::move(placed_); }

 private:
  static std::int32_t most_live(const std::vector<VCells>& ranks) {
    std::int32_t most = 0;
    for (const VCells& cells : ranks) {
      std::int32_t live = 0;
      for (const CellWork work : by_cell(cells)) {
        if (work == CellWork::none) continue;
        live += is_backward(work) ? -1 : 1;
        most = std::max(most, live);
      }
    }
    return most;
  }

  std::int32_t limit_;
  std::vector<VCells> placed_;
  std::vector<CellLine> lines_;
};

StepList steps_of(const VCells& cells, std::int32_t rank, std::int32_t ranks) {
  StepList steps;
  std::array<std::int32_t, kVPasses> counts{};
  for (const CellWork work : by_cell(cells)) {
    if (work == CellWork::none) continue;
    const VPass pass = pass_of(work);
    const StepType type = is_forward(pass) ? StepType::fwd : StepType::bwd;
    steps.emplace_back(
        make_step(type, stage_of(pass, rank, ranks), counts[static_cast<std::size_t>(pass)]++));
  }
  return steps;
}

}  // namespace

Schedule one_f_one_b_v(std::int32_t ranks, std::int32_t micro_batches) {
  check_at_least_one("1f1b_v", ranks, 2, micro_batches);
  check_cell_ranks("1f1b_v", ranks);
  const std::vector<VCells> cells = repeated(building_block(ranks), micro_batches);
  Compactor compactor(cells);
  sweep(cells, [&compactor](Cell cell, std::int32_t rank, CellWork work, std::int32_t) {
    compactor.advance(cell, rank, pass_of(work));
  });
  const std::vector<VCells> compact = compactor.take();
  Schedule schedule{"1f1b_v", v_map(ranks, 2), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    schedule.ranks.push_back(steps_of(compact[static_cast<std::size_t>(rank)], rank, ranks));
  }
  return schedule;
}

}  // namespace steptwin
