#include "model/usable_memory.h"

#include <doctest/doctest.h>
#include <fstream>
#include <string>

namespace steptwin {
namespace {

TEST_CASE("no more is used than four fifths of the machine's memory") {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kibibytes = 0;
  file >> name >> kibibytes;
  REQUIRE(name == "MemTotal:");
  CHECK(usable_memory_bytes() > 0);
  constexpr double kKibibyte = 1024;
  const double most = 0.8 * 1.01 * kibibytes * kKibibyte;
  CHECK(usable_memory_bytes() <= most);
}

}  // namespace
}  // namespace steptwin
