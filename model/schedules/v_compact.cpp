#include "model/schedules/v_compact.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "model/schedules/cell_line.h"

namespace steptwin {
namespace {

// What is live after a cell, and the BWD_WEIGHTs that could run.
struct Memory {
  std::int32_t live = 0;
  std::int32_t open = 0;

  friend bool operator==(const Memory&, const Memory&) = default;

  // Where a cell has no other work, an open BWD_WEIGHT runs.
  void pass_cell(CellWork work) {
    if (is_backward(work)) {
      ++open;
    } else if (work == CellWork::forward_down || work == CellWork::forward_up) {
      ++live;
    } else if (open > 0) {
      --open;
      --live;
    }
  }
};

class Phases {
 public:
  explicit Phases(std::int32_t micro_batches) : last_micro_(micro_batches - 1) {}

  enum class Phase : std::uint8_t { warm_up, steady, cool_down };

  // The phase that the sweep's next piece of work belongs to.
  Phase next(std::int32_t rank, CellWork work, std::int32_t number) {
    if (phase_ == Phase::warm_up && rank == 0 && work == CellWork::backward_down) {
      phase_ = Phase::steady;
    }
    const Phase phase = phase_;
    const bool last_entry = work == CellWork::forward_down && number == last_micro_;
    if (phase_ == Phase::steady && last_entry) phase_ = Phase::cool_down;
    return phase;
  }

 private:
  std::int32_t last_micro_;
  Phase phase_ = Phase::warm_up;
};

std::int32_t micro_batches_of(const std::vector<VCells>& ranks) {
  return static_cast<std::int32_t>(ranks.front().passes.front().size());
}

class EndsCompactor {
 public:
  EndsCompactor(std::size_t ranks, std::int32_t limit)
      : limit_(limit), placed_(ranks), lines_(ranks), backwards_(ranks) {}

  void keep(Cell cell, std::int32_t rank, CellWork work) { put(cell, rank, work); }

  void advance(Cell cell, std::int32_t rank, CellWork work) {
    const CellLine& line = lines_[static_cast<std::size_t>(rank)];
    Cell first = 0;
    if (work == CellWork::weight) {
      first = earliest_weight(static_cast<std::size_t>(rank));
    } else {
      first = earliest_cell(placed_, {rank, pass_of(work)}, 1);
      if (is_forward(pass_of(work))) first = line.first_with_room(first, limit_);
    }
    if (first < cell) first = line.first_free(first, 1);
    put(std::min(first, cell), rank, work);
  }

  std::vector<VCells> take() { return std::move(placed_); }

 private:
  Cell earliest_weight(std::size_t rank) const {
    const std::vector<Cell>& before = placed_[rank].weights;
    const Cell after_before = before.empty() ? 0 : before.back() + 1;
    return std::max(after_before, backwards_[rank][before.size()] + 1);
  }

  void put(Cell cell, std::int32_t rank, CellWork work) {
    const auto index = static_cast<std::size_t>(rank);
    if (work == CellWork::weight) {
      placed_[index].weights.push_back(cell);
      lines_[index].place(cell, 1, -1);
      return;
    }
    placed_[index].of(pass_of(work)).push_back(cell);
    lines_[index].place(cell, 1, is_backward(work) ? 0 : 1);
    if (!is_backward(work)) return;
    std::vector<Cell>& sorted = backwards_[index];
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), cell), cell);
  }

  std::int32_t limit_;
  std::vector<VCells> placed_;
  std::vector<CellLine> lines_;
  std::vector<std::vector<Cell>> backwards_;  // by rank: cells of both kinds, ascending
};

// A rank's cells up to a moving front, behind which BWD_WEIGHTs fill what is free.
class FilledLine {
 public:
  // Everything before `cell` is placed.
  void advance_front(Cell cell) {
    while (front() < cell) {
      Memory memory = front() == 0 ? Memory{} : memory_.back();
      const auto at = static_cast<std::size_t>(front());
      if (work_.size() <= at) work_.resize(at + 1, CellWork::none);
      memory.pass_cell(work_[at]);
      memory_.push_back(memory);
    }
  }

  bool is_free(Cell cell) const { return work_[static_cast<std::size_t>(cell)] == CellWork::none; }

  void put_at_front(CellWork work) { work_.push_back(work); }

  // Puts the work into a free cell behind the front if no more than `limit` are ever live then.
  // BWD_WEIGHTs run a cell later from there on, up to where one had no work to do.
  bool put_if_room(Cell cell, CellWork work, std::int32_t limit) {
    const auto begin = static_cast<std::size_t>(cell);
    std::vector<Memory> changed;
    Memory memory = begin == 0 ? Memory{} : memory_[begin - 1];
    for (std::size_t at = begin; at < memory_.size(); ++at) {
      memory.pass_cell(at == begin ? work : work_[at]);
      if (memory.live > limit) return false;
      if (memory == memory_[at]) break;
      changed.push_back(memory);
    }
    work_[begin] = work;
    std::copy(changed.begin(), changed.end(), memory_.begin() + static_cast<std::ptrdiff_t>(cell));
    return true;
  }

 private:
  Cell front() const { return static_cast<Cell>(memory_.size()); }

  std::vector<CellWork> work_;  // by cell; may hold one more than memory_, the work at the front
  std::vector<Memory> memory_;  // by cell: after it
};

}  // namespace

std::int32_t most_live(const std::vector<VCells>& ranks) {
  std::int32_t most = 0;
  for (const VCells& cells : ranks) {
    Memory memory;
    for (const CellWork work : by_cell(cells)) {
      memory.pass_cell(work);
      most = std::max(most, memory.live);
    }
  }
  return most;
}

std::vector<VCells> with_ends_compacted(const std::vector<VCells>& ranks) {
  Phases phases(micro_batches_of(ranks));
  EndsCompactor compactor(ranks.size(), most_live(ranks));
  sweep(ranks, [&](Cell cell, std::int32_t rank, CellWork work, std::int32_t number) {
    if (phases.next(rank, work, number) == Phases::Phase::steady) {
      compactor.keep(cell, rank, work);
    } else {
      compactor.advance(cell, rank, work);
    }
  });
  return compactor.take();
}

std::vector<VCells> with_cool_down_compacted(const std::vector<VCells>& ranks) {
  Phases phases(micro_batches_of(ranks));
  const std::int32_t limit = most_live(ranks);
  std::vector<VCells> placed(ranks.size());
  std::vector<FilledLine> lines(ranks.size());
  sweep(ranks, [&](Cell cell, std::int32_t rank, CellWork work, std::int32_t number) {
    const auto index = static_cast<std::size_t>(rank);
    FilledLine& line = lines[index];
    line.advance_front(cell);
    Cell target = cell;
    if (phases.next(rank, work, number) == Phases::Phase::cool_down) {
      target = earliest_cell(placed, {rank, pass_of(work)}, 1);
      while (target < cell && !(line.is_free(target) && line.put_if_room(target, work, limit))) {
        ++target;
      }
    }
    if (target == cell) line.put_at_front(work);
    placed[index].of(pass_of(work)).push_back(target);
  });
  return placed;
}

}  // namespace steptwin
