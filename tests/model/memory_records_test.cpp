#include "model/memory_records.h"

#include <doctest/doctest.h>

namespace steptwin {
namespace {

// Kernel 0: ready 1, start 2, end 5; kernel 1: ready 3, start 5, end 9.
const std::vector<KernelTimes> kTimes = {{0, 1, 2, 5}, {0, 3, 5, 9}};

Program program_with(const std::vector<MemoryChange>& changes) {
  Program program;
  program.memory = changes;
  return program;
}

TEST_CASE("a change happens at its moment of its kernel, at an end when the last has ended") {
  using enum MemoryMoment;
  constexpr MemoryClass kClass = MemoryClass::activations;
  const Program program = program_with({{0, kClass, beginning, {-1, -1, -1}, 1},
                                        {0, kClass, ready, {0, -1, -1}, 2},
                                        {0, kClass, start, {0, -1, -1}, 3},
                                        {0, kClass, end, {0, -1, -1}, 4},
                                        {0, kClass, end, {0, -1, 1}, 5}});
  const std::vector<MemoryRecord> expected = {{0, 0, kClass, 1},
                                              {0, 1, kClass, 2},
                                              {0, 2, kClass, 3},
                                              {0, 5, kClass, 4},
                                              {0, 9, kClass, 5}};
  CHECK(memory_records(program, kTimes) == expected);
}

TEST_CASE("records are in the order of ranks and times, what is given back first") {
  using enum MemoryMoment;
  constexpr MemoryClass kClass = MemoryClass::activations;
  const Program program = program_with({{1, kClass, start, {0, -1, -1}, 7},
                                        {0, kClass, start, {1, -1, -1}, 4},
                                        {0, kClass, end, {0, -1, -1}, -4},
                                        {0, kClass, beginning, {-1, -1, -1}, 4}});
  const std::vector<MemoryRecord> expected = {
      {0, 0, kClass, 4}, {0, 5, kClass, -4}, {0, 5, kClass, 4}, {1, 2, kClass, 7}};
  CHECK(memory_records(program, kTimes) == expected);
}

}  // namespace
}  // namespace steptwin
