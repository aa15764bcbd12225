#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "deadlocks/exchange.h"
#include "deadlocks/make_schedule.h"
#include "model/program.h"
#include "model/scenario.h"
#include "model/schedule.h"
#include "sim/simulate.h"

namespace steptwin::deadlocks {

// What hangs: the schedule as it was run, in its scenario, and what came of it.
struct Hang {
  const Schedule& schedule;
  const Scenario& scenario;
  const Program& program;
  const sim::Deadlock& deadlock;
};

// What was tried against a deadlock, by running it: an exchange of two steps and, if none helps,
// other settings, one at a time: receives placed early, departing, another transport, other queues.
struct WayOut {
  ExchangeSearch exchange;
  std::vector<std::string> settings;  // that help: "streams.preset = \"per_edge\""
  std::int32_t settings_tried = 0;
  bool was_cut_short = false;  // by the bound on the effort
};

// Kernels that a search may lower and simulate: some seconds.
inline constexpr std::size_t kMostSearchKernels = 6'000'000;

WayOut find_way_out(const Hang& hang, const MakeSchedule& make,
                    std::size_t most_kernels = kMostSearchKernels);

// In sentences. Every sentence is true of something that was simulated.
std::string way_out_text(const WayOut& way_out);

}  // namespace steptwin::deadlocks
