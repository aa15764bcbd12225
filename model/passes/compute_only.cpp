#include "model/passes/compute_only.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

#include "model/error.h"

namespace steptwin {
namespace {

void require_leaf(const Schedule& schedule, std::int32_t rank, const Step& leaf) {
  if (leaf.stage >= schedule.stages.stages()) {
    throw Error(fmt::format("rank {} computes {}", rank, step_label(leaf)),
                fmt::format("a stage from 0 to {}", schedule.stages.stages() - 1));
  }
  if (leaf.micro >= schedule.micro_batches) {
    throw Error(fmt::format("rank {} computes {}", rank, step_label(leaf)),
                fmt::format("a micro-batch from 0 to {}", schedule.micro_batches - 1));
  }
  if (const std::int32_t owner = schedule.stages.rank_of(leaf.stage); owner != rank) {
    throw Error(fmt::format("rank {} computes {}", rank, step_label(leaf)),
                fmt::format("rank {}, which holds stage {}", owner, leaf.stage));
  }
}

}  // namespace

void require_compute_only(const Schedule& schedule) {
  assert(schedule.ranks.size() == static_cast<std::size_t>(schedule.stages.ranks));
  for (std::int32_t rank = 0; rank < schedule.stages.ranks; ++rank) {
    for (const Slot& slot : schedule.ranks[static_cast<std::size_t>(rank)]) {
      if (!slot) continue;
      if (!is_compute(slot->type) && !is_overlap(slot->type)) {
        throw Error(
            fmt::format("rank {} has a {} step in its compute order", rank, name_of(slot->type)),
            "FWD, BWD, BWD_INPUT, BWD_WEIGHT and overlaps only");
      }
      for_each_leaf(*slot, [&](const Step& leaf) { require_leaf(schedule, rank, leaf); });
    }
  }
}

}  // namespace steptwin
