#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "standstill/standstill.h"

namespace steptwin {

// What one blocked item waits for: another one (index into items), or nobody who could bring it.
struct WaitEdge {
  std::int32_t target = -1;
  std::string reason;        // to follow "waits for "
  std::int64_t kernel = -1;  // the kernel waited for, if it is one that is known
};

struct WaitGraph {
  std::vector<BlockedItem> items;
  std::vector<std::string> subjects;         // by item: its text without what it waits for
  std::vector<std::vector<WaitEdge>> edges;  // by item
};

WaitGraph wait_graph(const Standstill& standstill);

}  // namespace steptwin
