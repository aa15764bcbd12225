#include "model/schedules/zbv_heuristic.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "model/error.h"
#include "model/schedules/at_least_one.h"
#include "model/schedules/zbv_greedy.h"
#include "model/step.h"

namespace steptwin {
namespace {

constexpr std::int64_t kQuarters = 4;  // of a micro-batch on a rank
constexpr int kMostAttempts = 64;

std::int64_t memory_quarters(double memory_limit, std::int32_t ranks) {
  if (memory_limit == 0) return kQuarters * ranks;
  if (!(memory_limit >= ranks)) {
    throw Error(fmt::format("zbv_heuristic with a memory limit of {}", memory_limit),
                fmt::format("room for at least {} micro-batches of activations per rank, one for "
                            "each rank, or 0 for that many",
                            ranks));
  }
  constexpr double kAsGoodAsNone = 1e15;
  const double quarters = static_cast<double>(kQuarters) * std::min(memory_limit, kAsGoodAsNone);
  return static_cast<std::int64_t>(std::floor(quarters));
}

// No order has a shorter longest span than the work of the busiest rank.
TimeNs shortest_span(const ZbHeuristicCosts& costs, std::int32_t micro_batches) {
  TimeNs busiest = 0;
  const std::size_t stages = costs.forward_ns.size();
  const auto work = [&costs](std::size_t stage) {
    return costs.forward_ns[stage] + costs.backward_input_ns[stage] +
           costs.backward_weight_ns[stage];
  };
  for (std::size_t rank = 0; rank < stages / 2; ++rank) {
    busiest = std::max(busiest, work(rank) + work(stages - 1 - rank));
  }
  return busiest * micro_batches;
}

std::optional<ZbvGreedyOrder> with_bubbles_granted(const ZbHeuristicCosts& costs,
                                                   std::int32_t micro_batches,
                                                   std::int64_t quarters,
                                                   ZbvGreedyChoices choices) {
  std::optional<ZbvGreedyOrder> best = zbv_greedy(costs, micro_batches, quarters, choices);
  for (int attempt = 1; attempt < kMostAttempts; ++attempt) {
    if (!best || best->largest_bubble() == 0) break;
    choices.granted = best->bubbles;
    std::optional<ZbvGreedyOrder> next = zbv_greedy(costs, micro_batches, quarters, choices);
    if (!next || next->largest_bubble() >= best->largest_bubble()) break;
    best = std::move(next);
  }
  return best;
}

std::optional<ZbvGreedyOrder> best_order(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                                         std::int64_t quarters) {
  const TimeNs unbeatable = shortest_span(costs, micro_batches);
  std::optional<ZbvGreedyOrder> best;
  for (const bool before_backward_up : {true, false}) {
    for (const bool before_forward : {true, false}) {
      if (best && best->longest_span == unbeatable) return best;
      std::optional<ZbvGreedyOrder> order = with_bubbles_granted(
          costs, micro_batches, quarters, ZbvGreedyChoices{before_forward, before_backward_up, {}});
      if (order && (!best || order->longest_span < best->longest_span)) best = std::move(order);
    }
  }
  return best;
}

StepList steps_of(const std::vector<ZbvWork>& order, std::int32_t rank, std::int32_t ranks) {
  StepList steps;
  steps.reserve(order.size());
  std::array<std::int32_t, kVPasses> passes{};
  std::array<std::int32_t, kVPasses> weights{};
  for (const ZbvWork& work : order) {
    const auto pass = static_cast<std::size_t>(work.pass);
    const std::int32_t stage = stage_of(work.pass, rank, ranks);
    if (work.is_weight) {
      steps.emplace_back(make_step(StepType::bwd_weight, stage, weights[pass]++));
    } else {
      const StepType type = is_forward(work.pass) ? StepType::fwd : StepType::bwd_input;
      steps.emplace_back(make_step(type, stage, passes[pass]++));
    }
  }
  return steps;
}

}  // namespace

Schedule zbv_heuristic(const ZbHeuristicCosts& costs, std::int32_t micro_batches,
                       double memory_limit) {
  const auto stages = static_cast<std::int32_t>(costs.forward_ns.size());
  const std::int32_t ranks = stages / 2;
  check_at_least_one("zbv_heuristic", ranks, 2, micro_batches);
  if (stages % 2 != 0) {
    throw Error(fmt::format("zbv_heuristic with {} stages", stages), "two for each rank");
  }
  check_costs("zbv_heuristic", costs);
  auto order = best_order(costs, micro_batches, memory_quarters(memory_limit, ranks));
  if (!order) order = best_order(costs, micro_batches, kQuarters * ranks);
  assert(order);
  Schedule schedule{"zbv_heuristic", v_map(ranks, 2), micro_batches, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    schedule.ranks.push_back(steps_of(order->ranks[static_cast<std::size_t>(rank)], rank, ranks));
  }
  return schedule;
}

}  // namespace steptwin
