#include "model/schedules/zero_bubble.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/schedules/at_least_one.h"
#include "model/step.h"

namespace steptwin {
namespace {

// A stage and a micro-batch: what one forward or backward works on.
struct Work {
  std::int32_t stage;
  std::int32_t micro;
};

// What one rank does: its forwards and backwards, each in order, and the two numbers that weave
// them together.
struct RankPlan {
  std::vector<Work> forwards;
  std::vector<Work> backwards;
  std::int32_t warm = 0;
  std::int32_t lag = 0;
};

// The k-th of M*V turns when `group` micro-batches go through each chunk of a rank in turn.
struct Turn {
  std::int32_t chunk;
  std::int32_t micro;
};

Turn turn_of(std::int32_t turn, std::int32_t group, std::int32_t chunks) {
  const std::int32_t round = turn / (group * chunks);
  return {turn / group % chunks, round * group + turn % group};
}

StepList weave(const RankPlan& plan) {
  StepList steps;
  steps.reserve(plan.forwards.size() * 3);
  const auto append = [&steps](StepType type, const Work& work) {
    steps.emplace_back(make_step(type, work.stage, work.micro));
  };
  std::size_t forwards_done = 0;
  std::size_t weights_done = 0;
  const std::size_t warm = std::min(static_cast<std::size_t>(plan.warm), plan.forwards.size());
  while (forwards_done < warm) append(StepType::fwd, plan.forwards[forwards_done++]);
  for (std::size_t backward = 0; backward < plan.backwards.size(); ++backward) {
    if (forwards_done < plan.forwards.size()) {
      append(StepType::fwd, plan.forwards[forwards_done++]);
    }
    append(StepType::bwd_input, plan.backwards[backward]);
    if (backward >= static_cast<std::size_t>(plan.lag)) {
      append(StepType::bwd_weight, plan.backwards[weights_done++]);
    }
  }
  while (weights_done < plan.backwards.size()) {
    append(StepType::bwd_weight, plan.backwards[weights_done++]);
  }
  return steps;
}

// One chunk per rank: the micro-batches in order, both ways.
RankPlan plain_plan(std::int32_t rank, std::int32_t micro_batches) {
  RankPlan plan;
  for (std::int32_t micro = 0; micro < micro_batches; ++micro) {
    plan.forwards.push_back({rank, micro});
  }
  plan.backwards = plan.forwards;
  return plan;
}

}  // namespace

Schedule zb_h1(std::int32_t ranks, std::int32_t micro_batches) {
  check_at_least_one("zb_h1", ranks, 1, micro_batches);
  Schedule schedule{"zb_h1", loop_map(ranks, 1), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    RankPlan plan = plain_plan(rank, micro_batches);
    plan.warm = ranks - 1 - rank;
    plan.lag = rank;
    schedule.ranks.push_back(weave(plan));
  }
  return schedule;
}

Schedule zb_h2(std::int32_t ranks, std::int32_t micro_batches) {
  check_at_least_one("zb_h2", ranks, 1, micro_batches);
  Schedule schedule{"zb_h2", loop_map(ranks, 1), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    RankPlan plan = plain_plan(rank, micro_batches);
    plan.warm = 2 * (ranks - 1 - rank);
    plan.lag = 2 * rank;
    schedule.ranks.push_back(weave(plan));
  }
  return schedule;
}

Schedule interleaved_zb(std::int32_t ranks, std::int32_t chunks_per_rank,
                        std::int32_t micro_batches) {
  check_at_least_one("interleaved_zb", ranks, chunks_per_rank, micro_batches);
  const std::int32_t rounds = std::max(1, micro_batches / ranks);
  if (chunks_per_rank > 1 && micro_batches % rounds != 0) {
    throw Error(
        fmt::format("interleaved_zb with {} ranks and {} micro-batches", ranks, micro_batches),
        fmt::format("micro-batches that are a multiple of the {} rounds (micro-batches / "
                    "ranks, rounded down)",
                    rounds));
  }
  // With one chunk the groups do not show in the order, so any number of micro-batches will do.
  const std::int32_t group = chunks_per_rank > 1 ? micro_batches / rounds : micro_batches;
  Schedule schedule{"interleaved_zb", loop_map(ranks, chunks_per_rank), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    RankPlan plan;
    for (std::int32_t k = 0; k < micro_batches * chunks_per_rank; ++k) {
      const Turn turn = turn_of(k, group, chunks_per_rank);
      plan.forwards.push_back({turn.chunk * ranks + rank, turn.micro});
      plan.backwards.push_back({(chunks_per_rank - 1 - turn.chunk) * ranks + rank, turn.micro});
    }
    plan.warm = (chunks_per_rank - 1) * group + ranks - 1 - rank;
    plan.lag = rank;
    schedule.ranks.push_back(weave(plan));
  }
  return schedule;
}

}  // namespace steptwin
