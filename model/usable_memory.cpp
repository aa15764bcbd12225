#include "model/usable_memory.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace steptwin {
namespace {

// The limit that a file of the kernel states; where there is none, or "max", `otherwise`.
double limit_in(const char* path, double otherwise) {
  std::ifstream file(path);
  double bytes = 0;
  return file >> bytes ? bytes : otherwise;
}

}  // namespace

double usable_memory_bytes() {
  constexpr double kShare = 0.8;
  double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    bytes = std::min(bytes, limit_in(path, bytes));
  }
  return kShare * bytes;
}

}  // namespace steptwin
