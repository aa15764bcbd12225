#include "model/schedules/v_cells.h"

#include <cassert>
#include <fmt/format.h>
#include <utility>

#include "model/error.h"

namespace steptwin {

std::vector<VCells> repeated(const VBlock& block, std::int32_t micro_batches) {
  std::vector<VCells> ranks(block.size());
  for (std::size_t rank = 0; rank < block.size(); ++rank) {
    for (std::size_t pass = 0; pass < kVPasses; ++pass) {
      std::vector<Cell>& cells = ranks[rank].passes[pass];
      cells.reserve(static_cast<std::size_t>(micro_batches));
      for (std::int32_t micro = 0; micro < micro_batches; ++micro) {
        cells.push_back(block[rank][pass] + kVPeriod * micro);
      }
    }
  }
  return ranks;
}

void check_cell_ranks(std::string_view schedule, std::int32_t ranks) {
  if (ranks <= kMostCellRanks) return;
  throw Error(fmt::format("{} with {} ranks", schedule, ranks),
              fmt::format("at most {}: its order is found cell by cell", kMostCellRanks));
}

Cell earliest_cell(const std::vector<VCells>& placed, const VPlace& next, Cell backward_cells) {
  const std::vector<Cell>& before = placed[static_cast<std::size_t>(next.rank)].of(next.pass);
  Cell cell = before.empty() ? 0 : before.back() + 1;
  if (const auto input = input_of(next, static_cast<std::int32_t>(placed.size()))) {
    const VCells& source = placed[static_cast<std::size_t>(input->rank)];
    const Cell width = is_forward(input->pass) ? 1 : backward_cells;
    cell = std::max(cell, source.of(input->pass)[before.size()] + width);
  }
  return cell;
}

CellWork work_of(VPass pass) {
  return static_cast<CellWork>(static_cast<int>(pass) + 1);
}

VPass pass_of(CellWork work) {
  assert(work != CellWork::none && work != CellWork::weight);
  return static_cast<VPass>(static_cast<int>(work) - 1);
}

bool is_backward(CellWork work) {
  return work == CellWork::backward_up || work == CellWork::backward_down;
}

std::vector<CellWork> by_cell(const VCells& cells) {
  std::vector<CellWork> line;
  const auto put = [&line](const std::vector<Cell>& kind, CellWork work) {
    if (kind.empty()) return;
    line.resize(std::max(line.size(), static_cast<std::size_t>(kind.back()) + 1), CellWork::none);
    for (const Cell cell : kind) {
      assert(line[static_cast<std::size_t>(cell)] == CellWork::none);
      line[static_cast<std::size_t>(cell)] = work;
    }
  };
  for (std::size_t pass = 0; pass < kVPasses; ++pass) {
    put(cells.passes[pass], work_of(static_cast<VPass>(pass)));
  }
  put(cells.weights, CellWork::weight);
  return line;
}

void fill_weights(VCells& cells) {
  cells.weights.clear();
  const std::vector<CellWork> line = by_cell(cells);
  std::int32_t open = 0;
  Cell cell = 0;
  for (const CellWork work : line) {
    if (is_backward(work)) ++open;
    if (work == CellWork::none && open > 0) {
      cells.weights.push_back(cell);
      --open;
    }
    ++cell;
  }
  for (; open > 0; --open) cells.weights.push_back(cell++);
}

std::vector<VCells> squeezed(const std::vector<VCells>& ranks) {
  std::vector<VCells> early(ranks.size());
  std::vector<Cell> next(ranks.size(), 0);  // the cell after the last one used
  const auto count = static_cast<std::int32_t>(ranks.size());
  sweep(ranks, [&](Cell, std::int32_t rank, CellWork work, std::int32_t number) {
    const auto index = static_cast<std::size_t>(rank);
    Cell cell = next[index];
    if (work == CellWork::weight) {
      early[index].weights.push_back(cell);
    } else {
      if (const auto input = input_of({rank, pass_of(work)}, count)) {
        const VCells& source = early[static_cast<std::size_t>(input->rank)];
        cell = std::max(cell, source.of(input->pass)[static_cast<std::size_t>(number)] + 1);
      }
      early[index].of(pass_of(work)).push_back(cell);
    }
    next[index] = cell + 1;
  });
  return early;
}

namespace {

// Appends the rank's steps; each kind of step of a stage runs through the micro-batches.
class StepWriter {
 public:
  StepWriter(std::int32_t rank, std::int32_t ranks) : rank_(rank), ranks_(ranks) {}

  void pass(VPass pass) {
    const auto index = static_cast<std::size_t>(pass);
    const StepType type = is_forward(pass) ? StepType::fwd : StepType::bwd_input;
    steps_.emplace_back(make_step(type, stage_of(pass, rank_, ranks_), counts_[index]++));
  }
  bool has_open_weight() const { return open(VPass::backward_up) || open(VPass::backward_down); }
  void weight() {
    const VPass of = open(VPass::backward_up) ? VPass::backward_up : VPass::backward_down;
    const auto index = static_cast<std::size_t>(of);
    steps_.emplace_back(
        make_step(StepType::bwd_weight, stage_of(of, rank_, ranks_), weights_[index]++));
  }
  StepList take() { return std::move(steps_); }

 private:
  bool open(VPass backward) const {
    const auto index = static_cast<std::size_t>(backward);
    return weights_[index] < counts_[index];
  }

  std::int32_t rank_;
  std::int32_t ranks_;
  std::array<std::int32_t, kVPasses> counts_{};
  std::array<std::int32_t, kVPasses> weights_{};
  StepList steps_;
};

}  // namespace

StepList steps_by_cell(const VCells& cells, std::int32_t rank, std::int32_t ranks) {
  StepWriter writer(rank, ranks);
  VCells passes_only = cells;
  passes_only.weights.clear();
  for (const CellWork work : by_cell(passes_only)) {
    if (work != CellWork::none) {
      writer.pass(pass_of(work));
    } else if (writer.has_open_weight()) {
      writer.weight();
    }
  }
  while (writer.has_open_weight()) writer.weight();
  return writer.take();
}

}  // namespace steptwin
