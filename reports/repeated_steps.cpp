#include "reports/repeated_steps.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <vector>

namespace steptwin::reports {

RepeatedSteps repeated_steps(std::span<const TimeNs> step_ns) {
  assert(!step_ns.empty());
  std::vector<std::size_t> order(step_ns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return step_ns[left] < step_ns[right];
  });
  const auto at = [&](std::size_t percent) {
    const std::size_t rank = (percent * order.size() + 99) / 100;
    return order[std::max<std::size_t>(rank, 1) - 1];
  };
  RepeatedSteps steps;
  steps.steps = step_ns.size();
  steps.median_step = at(50);
  steps.median_ns = step_ns[steps.median_step];
  steps.p5_ns = step_ns[at(5)];
  steps.p95_ns = step_ns[at(95)];
  return steps;
}

}  // namespace steptwin::reports
