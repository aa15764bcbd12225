#include "model/passes/add_p2p.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/passes/compute_only.h"

namespace steptwin {
namespace {

// Where the scan stands in one rank's list.
struct Cursor {
  std::size_t entry = 0;
  bool in_second_half = false;  // of an overlap
};

std::size_t width_of(const StepList& list) {
  std::size_t width = 0;
  for (const Slot& slot : list) width += slot && is_overlap(slot->type) ? 2 : 1;
  return width;
}

// Writes the next column of `list` and says what is computed in it: null for a bubble or beyond
// the end.
const Step* take_column(const StepList& list, Cursor& cursor, StepList& written) {
  if (cursor.entry == list.size()) return nullptr;
  const Slot& slot = list[cursor.entry];
  if (!cursor.in_second_half) written.push_back(slot);
  if (!slot || !is_overlap(slot->type)) {
    ++cursor.entry;
    return slot ? &*slot : nullptr;
  }
  const Step& half = slot->sub_steps()[cursor.in_second_half ? 1 : 0];
  if (cursor.in_second_half) ++cursor.entry;
  cursor.in_second_half = !cursor.in_second_half;
  return &half;
}

void transfer(Schedule& placed, StepType send, StepType receive, const Step& producer,
              std::int32_t to_stage) {
  if (to_stage == StageMap::kNoStage) return;
  const std::int32_t from = placed.stages.rank_of(producer.stage);
  const std::int32_t to = placed.stages.rank_of(to_stage);
  if (from == to) return;
  placed.ranks[static_cast<std::size_t>(from)].push_back(
      make_step(send, producer.stage, producer.micro));
  placed.ranks[static_cast<std::size_t>(to)].push_back(
      make_step(receive, to_stage, producer.micro));
}

void transfer_output(Schedule& placed, const Step& producer) {
  if (producer.type == StepType::fwd) {
    transfer(placed, StepType::fwd_send, StepType::fwd_recv, producer,
             placed.stages.stage_after(producer.stage));
  } else if (gives_gradient(producer.type)) {
    transfer(placed, StepType::bwd_send, StepType::bwd_recv, producer,
             placed.stages.stage_before(producer.stage));
  }
}

}  // namespace

Schedule add_p2p(const Schedule& columns) {
  require_compute_only(columns);
  const std::size_t rank_count = columns.ranks.size();
  Schedule placed{columns.name, columns.stages, columns.micro_batches, {}};
  placed.ranks.resize(rank_count);
  std::size_t longest = 0;
  for (std::size_t rank = 0; rank < rank_count; ++rank) {
    longest = std::max(longest, width_of(columns.ranks[rank]));
    placed.ranks[rank].reserve(3 * columns.ranks[rank].size());  // a step, a send, a receive
  }
  std::vector<Cursor> cursors(rank_count);
  std::vector<const Step*> computed(rank_count);
  for (std::size_t column = 0; column < longest; ++column) {
    for (std::size_t rank = 0; rank < rank_count; ++rank) {
      computed[rank] = take_column(columns.ranks[rank], cursors[rank], placed.ranks[rank]);
    }
    for (const std::size_t parity : {std::size_t{0}, std::size_t{1}}) {
      for (std::size_t rank = parity; rank < rank_count; rank += 2) {
        if (computed[rank] != nullptr) transfer_output(placed, *computed[rank]);
      }
    }
  }
  return placed;
}

}  // namespace steptwin
