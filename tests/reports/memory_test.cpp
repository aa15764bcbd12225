#include "reports/memory.h"

#include <doctest/doctest.h>

namespace steptwin::reports {
namespace {

Trace trace_with(std::vector<MemoryRecord> records, std::size_t ranks) {
  Trace trace;
  trace.ranks.resize(ranks);
  trace.memory = std::move(records);
  return trace;
}

TEST_CASE("the peak, the first instant of it, and what it consists of") {
  using enum MemoryClass;
  const auto peaks = memory_peaks(trace_with({{0, 0, parameters, 10},
                                              {0, 5, activations, 4},
                                              {0, 7, activations, -4},
                                              {0, 7, activations, 3},
                                              {0, 9, p2p_buffers, 1},
                                              {0, 12, activations, -3},
                                              {1, 3, activations, 2}},
                                             3));
  REQUIRE(peaks.size() == 3);
  CHECK(peaks[0] == MemoryPeak{14, 5, {10, 0, 0, 0, 4, 0}});
  CHECK(peaks[1] == MemoryPeak{2, 3, {0, 0, 0, 0, 2, 0}});
  CHECK_FALSE(peaks[2].has_value());
}

TEST_CASE("what is given back at an instant makes room for what is taken at it") {
  using enum MemoryClass;
  const auto peaks = memory_peaks(
      trace_with({{0, 0, activations, 4}, {0, 7, activations, -4}, {0, 7, activations, 4}}, 1));
  CHECK(peaks[0] == MemoryPeak{4, 0, {0, 0, 0, 0, 4, 0}});
}

TEST_CASE("sizes are told in the unit they are read best in") {
  CHECK(binary_unit(1000).name == "KiB");
  CHECK(binary_unit(Bytes{1} << 20).name == "MiB");
  CHECK(binary_unit((Bytes{1} << 30) - 1).name == "MiB");
  CHECK(binary_unit(Bytes{3} << 30).name == "GiB");
  CHECK(binary_unit(Bytes{3} << 30).bytes == 1073741824.0);
}

}  // namespace
}  // namespace steptwin::reports
