#pragma once

#include <string>
#include <variant>

#include "model/validate.h"
#include "sim/simulate.h"
#include "tests/sim/naive_simulator.h"
#include "tests/sim/result_text.h"

namespace steptwin {

// What the engine makes of a Program, in the form that result_text prints. Host records and
// the last instant only if it finished.
inline NaiveResult engine_result(const Program& program) {
  validate(program);
  NaiveResult result;
  const auto outcome = sim::simulate(program);
  if (const auto* deadlock = std::get_if<sim::Deadlock>(&outcome)) {
    result.deadlocked = true;
    result.times = deadlock->times;
    for (const sim::BlockedItem& item : deadlock->blocked) {
      if (item.is_thread) {
        result.blocked_threads.push_back({item.rank, item.index, item.command});
      } else {
        result.blocked_streams.push_back({item.rank, item.index, item.kernel});
      }
    }
    return result;
  }
  const Trace& trace = std::get<Trace>(outcome);
  for (const TraceKernel& kernel : trace.kernels) result.times.push_back(kernel.times);
  result.host = trace.host;
  return result;
}

}  // namespace steptwin
