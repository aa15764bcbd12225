#pragma once

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>

namespace steptwin::reports {

// A made-up run of two ranks, 1F1B, three micro-batches, five iterations, of which the first is
// twice as slow. Its hops take 1 ms, and a rank rests 0.5 ms between operations; the clock of rank
// 1 begins 3 ms later than that of rank 0. On the clock of rank 0, in ms:
//
//   rank 0  F0 0-10   F1 10.5-20.5           B0 42.5-62.5  F2 63-73  B1 73.5-93.5  B2 105.5-125.5
//   rank 1  F0 11-21  B0 21.5-41.5  F1 42-52  B1 52.5-72.5  F2 74-84  B2 84.5-104.5
//
// In iteration 4 F1 takes 15 ms longer on rank 0, which nobody notices; in iteration 5 F1 takes 12
// longer on rank 1, and the step 11:
//
//   rank 0  ... B0 42.5-62.5  F2 63-73               B1 85.5-105.5  B2 116.5-136.5
//   rank 1  ... F1 42-64    B1 64.5-84.5    F2 85-95  B2 95.5-115.5
inline std::string made_up_dump() {
  const char* source = std::getenv("STEPTWIN_SOURCE");
  REQUIRE_MESSAGE(source != nullptr, "STEPTWIN_SOURCE is not set");
  return std::string(source) + "/tests/data/pp_dump";
}

}  // namespace steptwin::reports
