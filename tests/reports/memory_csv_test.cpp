#include "reports/memory_csv.h"

#include <doctest/doctest.h>
#include <sstream>

namespace steptwin::reports {
namespace {

TEST_CASE("memory.csv has a line for each change") {
  Trace trace;
  trace.ranks.resize(2);
  trace.memory = {{0, 0, MemoryClass::parameters, 1024}, {1, 12, MemoryClass::p2p_buffers, -7}};
  std::ostringstream out;
  write_memory_csv(trace, out);
  CHECK(out.str() == "rank,at_ns,class,bytes\n0,0,parameters,1024\n1,12,p2p_buffers,-7\n");
}

}  // namespace
}  // namespace steptwin::reports
