#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "tests/sim/trace_rules_parts.h"

namespace steptwin::trace_rules {
namespace {

struct PartEnd {
  std::int32_t kernel = 0;
  TimeNs transfer_ns = 0;
};

struct Lane {
  std::vector<PartEnd> sends;
  std::vector<PartEnd> receives;
};

struct Expected {
  TimeNs start_ns = -1;
  TimeNs end_ns = -1;
};

// A communicator whose calls were certainly ordered on every rank. (On one rank it is used from one
// stream only.)
std::vector<bool> certain_communicators(const Run& run) {
  std::vector<bool> certain(run.program.communicators.size(), true);
  for (const auto& rank : run.orders) {
    for (const StreamOrder& stream : rank) {
      for (const Launch& launch : stream.launches) {
        const std::int32_t communicator = run.kernel(launch.kernel).communicator;
        if (communicator >= 0 && !stream.certain) {
          certain[static_cast<std::size_t>(communicator)] = false;
        }
      }
    }
  }
  return certain;
}

template <typename Visit>
void for_each_call(const Run& run, Visit&& visit) {
  for (const auto& rank : run.orders) {
    for (const StreamOrder& stream : rank) {
      for (const Launch& launch : stream.launches) {
        const Kernel& kernel = run.kernel(launch.kernel);
        if (is_communication(kernel.kind)) visit(launch.kernel, kernel);
      }
    }
  }
}

void expect(Run& run, std::int32_t id, const Expected& expected) {
  const KernelTimes& times = run.of(id);
  if (times.start_ns == expected.start_ns && times.end_ns == expected.end_ns) return;
  run.broken.push_back(
      fmt::format("kernel {} runs from {} to {}, but its partners let it run from "
                  "{} to {}",
                  id, times.start_ns, times.end_ns, expected.start_ns, expected.end_ns));
}

void check_collectives(Run& run, const std::vector<bool>& certain) {
  // By communicator and position: the calls, lowest rank first since ranks are visited in order.
  std::map<std::pair<std::int32_t, std::size_t>, std::vector<std::int32_t>> calls;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> called;
  for_each_call(run, [&](std::int32_t id, const Kernel& kernel) {
    if (!is_collective(kernel.kind) || !certain[static_cast<std::size_t>(kernel.communicator)]) {
      return;
    }
    const std::size_t position = called[{kernel.communicator, kernel.rank}]++;
    calls[{kernel.communicator, position}].push_back(id);
  });
  for (const auto& [place, kernels] : calls) {
    const Communicator& communicator =
        run.program.communicators[static_cast<std::size_t>(place.first)];
    if (kernels.size() != communicator.ranks.size()) {
      run.broken.push_back(fmt::format("call {} on {} has {} of {} members", place.second,
                                       communicator.name, kernels.size(),
                                       communicator.ranks.size()));
      continue;
    }
    Expected expected;
    for (const std::int32_t id : kernels) {
      expected.start_ns = std::max(expected.start_ns, run.of(id).ready_ns);
    }
    expected.end_ns = expected.start_ns + run.kernel(kernels.front()).duration_ns;
    for (const std::int32_t id : kernels) expect(run, id, expected);
  }
}

void check_p2p(Run& run, const std::vector<bool>& certain) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, Lane> lanes;
  for_each_call(run, [&](std::int32_t id, const Kernel& kernel) {
    if (kernel.kind != KernelKind::p2p || !certain[static_cast<std::size_t>(kernel.communicator)]) {
      return;
    }
    for (std::int32_t index = 0; index < kernel.part_count; ++index) {
      const P2pPart& part =
          run.program.p2p_parts[static_cast<std::size_t>(kernel.first_part + index)];
      if (part.is_send) {
        lanes[{kernel.communicator, kernel.rank, part.peer}].sends.push_back(
            {id, part.transfer_ns});
      } else {
        lanes[{kernel.communicator, part.peer, kernel.rank}].receives.push_back(
            {id, part.transfer_ns});
      }
    }
  });
  std::map<std::int32_t, Expected> expected_of;
  for (const auto& [place, lane] : lanes) {
    if (lane.sends.size() != lane.receives.size()) {
      run.broken.push_back(fmt::format("{} sends from rank {} to rank {} meet {} receives",
                                       lane.sends.size(), std::get<1>(place), std::get<2>(place),
                                       lane.receives.size()));
      return;
    }
    for (std::size_t index = 0; index < lane.sends.size(); ++index) {
      const TimeNs start_ns = std::max(run.of(lane.sends[index].kernel).ready_ns,
                                       run.of(lane.receives[index].kernel).ready_ns);
      for (const std::int32_t id : {lane.sends[index].kernel, lane.receives[index].kernel}) {
        Expected& expected = expected_of[id];
        expected.start_ns =
            expected.start_ns < 0 ? start_ns : std::min(expected.start_ns, start_ns);
        expected.end_ns = std::max(expected.end_ns, start_ns + lane.sends[index].transfer_ns);
      }
    }
  }
  for (const auto& [id, expected] : expected_of) expect(run, id, expected);
}

}  // namespace

void check_matching(Run& run) {
  const std::vector<bool> certain = certain_communicators(run);
  check_collectives(run, certain);
  check_p2p(run, certain);
}

}  // namespace steptwin::trace_rules
