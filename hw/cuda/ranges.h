#pragma once

#include <string>
#include <vector>

#include "model/program.h"

namespace steptwin::hw::cuda {

// Where the toolkit's headers have ranges; else nothing.
void begin_range(const std::string& name);
void end_range();

// What a profiler of NVIDIA's shows over the host thread while it issues a kernel.
class Range {
 public:
  explicit Range(const std::string& name) { begin_range(name); }
  ~Range() { end_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

// By the number of the rank's kernel: "PP:" and the action as PyTorch names it, PP:0F3 for a
// forward of stage 0, or the label of our step where PyTorch has no such action.
std::vector<std::string> range_names(const Program& program, std::int32_t rank);

}  // namespace steptwin::hw::cuda
