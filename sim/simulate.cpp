#include "sim/simulate.h"

#include <utility>

#include "model/trace_of.h"
#include "sim/deadlock.h"
#include "sim/engine.h"

namespace steptwin::sim {
namespace {

Trace make_trace(const State& state) {
  return trace_of(*state.program, {{state.times.begin(), state.times.size()},
                                   {state.part_times.begin(), state.part_times.size()},
                                   {state.records.data(), state.records.size()}});
}

}  // namespace

std::variant<Trace, Deadlock> simulate(const Program& program, const Options& options) {
  const State state = evaluate(program, options.host_records);
  if (!finished(state)) return explain_deadlock(state);
  return make_trace(state);
}

}  // namespace steptwin::sim
