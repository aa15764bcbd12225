#include "reports/import/pp_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "reports/latency.h"

namespace steptwin::reports {
namespace {

struct Operation {
  Interval span;
  bool is_forward = true;
  std::int32_t micro = 0;
};

// By start; a rank computes one after the other.
std::vector<Operation> operations_of(const PpRank& rank) {
  std::vector<Operation> operations;
  for (std::size_t micro = 0; micro < rank.forward.size(); ++micro) {
    const auto number = static_cast<std::int32_t>(micro);
    operations.push_back({rank.forward[micro], true, number});
    operations.push_back({rank.backward[micro], false, number});
  }
  std::stable_sort(operations.begin(), operations.end(),
                   [](const Operation& left, const Operation& right) {
                     return left.span.begin_ns < right.span.begin_ns;
                   });
  return operations;
}

std::optional<TimeNs> median_of(std::vector<TimeNs> values) {
  std::sort(values.begin(), values.end());
  return percentile(values, 50);
}

TraceKernel kernel_of(const Operation& operation, std::int32_t rank, TimeNs offset_ns) {
  TraceKernel kernel;
  kernel.rank = kernel.stage = rank;
  kernel.step = operation.is_forward ? StepType::fwd : StepType::bwd;
  kernel.direction = operation.is_forward ? Direction::forward : Direction::backward;
  kernel.micro = operation.micro;
  const TimeNs start_ns = operation.span.begin_ns + offset_ns;
  kernel.times = {start_ns, start_ns, start_ns, operation.span.end_ns + offset_ns};
  return kernel;
}

}  // namespace

PpClocks clocks_of(const PpIteration& iteration) {
  PpClocks clocks;
  clocks.offset_ns.push_back(0);
  for (std::size_t rank = 0; rank + 1 < iteration.ranks.size(); ++rank) {
    const PpRank& here = iteration.ranks[rank];
    const PpRank& next = iteration.ranks[rank + 1];
    TimeNs least_ns = here.forward[0].end_ns - next.forward[0].begin_ns;
    TimeNs most_ns = here.backward[0].begin_ns - next.backward[0].end_ns;
    for (std::size_t micro = 1; micro < here.forward.size(); ++micro) {
      least_ns = std::max(least_ns, here.forward[micro].end_ns - next.forward[micro].begin_ns);
      most_ns = std::min(most_ns, here.backward[micro].begin_ns - next.backward[micro].end_ns);
    }
    clocks.offset_ns.push_back(clocks.offset_ns.back() + (least_ns + most_ns) / 2);
    clocks.round_trip_ns.push_back(most_ns - least_ns);
  }
  return clocks;
}

std::optional<TimeNs> measured_hop_ns(const std::vector<PpIteration>& iterations) {
  std::vector<TimeNs> round_trips;
  for (const PpIteration& iteration : iterations) {
    const PpClocks clocks = clocks_of(iteration);
    round_trips.insert(round_trips.end(), clocks.round_trip_ns.begin(), clocks.round_trip_ns.end());
  }
  const std::optional<TimeNs> median = median_of(std::move(round_trips));
  if (!median || *median < 0) return std::nullopt;
  return *median / 2;
}

std::optional<TimeNs> measured_gap_ns(const std::vector<PpIteration>& iterations) {
  std::vector<TimeNs> gaps;
  const auto add = [&gaps](const Operation& before, const Operation& after) {
    gaps.push_back(std::max<TimeNs>(after.span.begin_ns - before.span.end_ns, 0));
  };
  for (const PpIteration& iteration : iterations) {
    const std::vector<Operation> first = operations_of(iteration.ranks.front());
    const std::vector<Operation> last = operations_of(iteration.ranks.back());
    for (std::size_t at = 1; at < first.size(); ++at) {
      if (first[at].is_forward) add(first[at - 1], first[at]);
      if (!last[at].is_forward && last[at - 1].is_forward) add(last[at - 1], last[at]);
    }
  }
  return median_of(std::move(gaps));
}

Trace trace_of(const PpIteration& iteration) {
  Trace trace;
  const PpClocks clocks = clocks_of(iteration);
  for (std::size_t rank = 0; rank < iteration.ranks.size(); ++rank) {
    trace.ranks.push_back({{"compute"}, {"main"}});
    for (const Operation& operation : operations_of(iteration.ranks[rank])) {
      TraceKernel kernel =
          kernel_of(operation, static_cast<std::int32_t>(rank), clocks.offset_ns[rank]);
      kernel.kernel = static_cast<std::int64_t>(trace.kernels.size());
      trace.kernels.push_back(std::move(kernel));
    }
  }
  return trace;
}

}  // namespace steptwin::reports
