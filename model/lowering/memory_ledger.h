#pragma once

#include <array>
#include <cstdint>

#include "model/program.h"

namespace steptwin {

// Writes down what the memory of one rank goes through, beside the kernels that it happens with;
// nothing where the scenario does not say how large a stage's activations or parameters are: what
// the rest takes would pass for the whole.
class MemoryLedger {
 public:
  MemoryLedger(Program& program, std::int32_t rank, bool is_open)
      : program_(program), rank_(rank), is_open_(is_open) {}

  // All the time.
  void hold(MemoryClass memory, Bytes bytes) {
    add(memory, MemoryMoment::beginning, {-1, -1, -1}, bytes);
  }
  void take(MemoryClass memory, MemoryMoment moment, std::int32_t kernel, Bytes bytes) {
    add(memory, moment, {kernel, -1, -1}, bytes);
  }
  void give_at_start(MemoryClass memory, std::int32_t kernel, Bytes bytes) {
    add(memory, MemoryMoment::start, {kernel, -1, -1}, -bytes);
  }
  // When the last of the kernels has ended; -1 is none of them.
  void give_after(MemoryClass memory, const std::array<std::int32_t, 3>& kernels, Bytes bytes) {
    add(memory, MemoryMoment::end, kernels, -bytes);
  }

 private:
  void add(MemoryClass memory, MemoryMoment moment, const std::array<std::int32_t, 3>& kernels,
           Bytes bytes) {
    if (is_open_ && bytes != 0) program_.memory.push_back({rank_, memory, moment, kernels, bytes});
  }

  Program& program_;
  std::int32_t rank_;
  bool is_open_;
};

}  // namespace steptwin
