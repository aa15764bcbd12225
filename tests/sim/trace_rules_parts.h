#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/program.h"
#include "model/trace.h"

// The inside of trace_rules.h.
namespace steptwin::trace_rules {

struct Launch {
  std::int32_t kernel = 0;
  std::int32_t thread = 0;
  std::size_t position = 0;  // of the command in its thread
};

// A stream's kernels in the order they were appended.
struct StreamOrder {
  std::vector<Launch> launches;
  bool certain = true;  // false: two threads appended at the same instant to the same effect
};

struct Run {
  const Program& program;
  const std::vector<KernelTimes>& times;
  std::vector<std::vector<StreamOrder>> orders;  // by rank and stream
  std::vector<std::string> broken;

  const Kernel& kernel(std::int32_t id) const {
    return program.kernels[static_cast<std::size_t>(id)];
  }
  const KernelTimes& of(std::int32_t id) const { return times[static_cast<std::size_t>(id)]; }
};

// trace_rules_matching.cpp: durations and starts of communication.
void check_matching(Run& run);
// trace_rules_host.cpp: enqueue times and waits.
void check_host_and_waits(Run& run);

}  // namespace steptwin::trace_rules
