#include "model/schedules/zb_heuristic.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "model/error.h"
#include "model/schedules/at_least_one.h"
#include "model/schedules/zb_greedy.h"
#include "model/step.h"

namespace steptwin {
namespace {

// Nobody holds more than M micro-batches, so that stands for no limit.
std::int64_t memory_halves(double memory_limit, std::int32_t micro_batches) {
  const std::int64_t all = 2 * static_cast<std::int64_t>(micro_batches);
  if (memory_limit == 0) return all;
  if (!(memory_limit >= 1)) {
    throw Error(fmt::format("zb_heuristic with a memory limit of {}", memory_limit),
                "room for at least 1 micro-batch of activations per rank, or 0 for no limit");
  }
  const double halves = std::floor(2 * std::min(memory_limit, static_cast<double>(micro_batches)));
  return static_cast<std::int64_t>(halves);
}

// No order has a shorter longest span than the work of the busiest stage.
TimeNs shortest_span(const ZbHeuristicCosts& costs, std::int32_t micro_batches) {
  TimeNs busiest = 0;
  for (std::size_t stage = 0; stage < costs.forward_ns.size(); ++stage) {
    busiest = std::max(busiest, costs.forward_ns[stage] + costs.backward_input_ns[stage] +
                                    costs.backward_weight_ns[stage]);
  }
  return busiest * micro_batches;
}

ZbGreedyOrder best_order(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                         std::int64_t halves) {
  const TimeNs unbeatable = shortest_span(costs, micro_batches);
  std::optional<ZbGreedyOrder> best;
  for (const bool bubble_before_first_backward : {true, false}) {
    for (const bool backward_first : {true, false}) {
      for (const bool fill_every_gap : {true, false}) {
        if (best && best->longest_span == unbeatable) return std::move(*best);
        ZbGreedyOrder order = zb_greedy(
            costs, micro_batches, halves,
            ZbGreedyChoices{bubble_before_first_backward, backward_first, fill_every_gap});
        if (!best || order.longest_span < best->longest_span) best = std::move(order);
      }
    }
  }
  return std::move(*best);
}

StepList steps_of(const std::vector<ZbWork>& order, std::int32_t stage) {
  StepList steps;
  steps.reserve(order.size());
  std::int32_t forwards = 0;
  std::int32_t inputs = 0;
  std::int32_t weights = 0;
  for (const ZbWork work : order) {
    switch (work) {
      case ZbWork::forward:
        steps.emplace_back(make_step(StepType::fwd, stage, forwards++));
        break;
      case ZbWork::backward_input:
        steps.emplace_back(make_step(StepType::bwd_input, stage, inputs++));
        break;
      case ZbWork::backward_weight:
        steps.emplace_back(make_step(StepType::bwd_weight, stage, weights++));
        break;
    }
  }
  return steps;
}

}  // namespace

Schedule zb_heuristic(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                      double memory_limit) {
  const std::size_t stages = costs.forward_ns.size();
  const auto ranks = static_cast<std::int32_t>(stages);
  check_at_least_one("zb_heuristic", ranks, 1, micro_batches);
  check_costs("zb_heuristic", costs);
  const ZbGreedyOrder order =
      best_order(costs, micro_batches, memory_halves(memory_limit, micro_batches));
  Schedule schedule{"zb_heuristic", loop_map(ranks, 1), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    schedule.ranks.push_back(steps_of(order.stages[static_cast<std::size_t>(rank)], rank));
  }
  return schedule;
}

}  // namespace steptwin
