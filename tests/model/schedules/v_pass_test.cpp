#include "model/schedules/v_pass.h"

#include <doctest/doctest.h>
#include <string>

namespace steptwin {
namespace {

// "1 forward_down" and so on back to where the micro-batch enters.
std::string way_of(VPlace place, std::int32_t ranks) {
  constexpr const char* kLetters[] = {"F", "f", "b", "B"};
  std::string way;
  for (std::optional<VPlace> at = place; at; at = input_of(*at, ranks)) {
    if (!way.empty()) way += " ";
    way += kLetters[static_cast<int>(at->pass)] + std::to_string(at->rank);
  }
  return way;
}

TEST_CASE("a micro-batch goes down the ranks and up again, twice") {
  CHECK(way_of({0, VPass::backward_down}, 3) == "B0 B1 B2 b2 b1 b0 f0 f1 f2 F2 F1 F0");
  CHECK(way_of({0, VPass::backward_down}, 1) == "B0 b0 f0 F0");
}

TEST_CASE("rank r holds stage r on the way down and 2R-1-r on the way up") {
  CHECK(stage_of(VPass::forward_down, 1, 4) == 1);
  CHECK(stage_of(VPass::backward_down, 1, 4) == 1);
  CHECK(stage_of(VPass::forward_up, 1, 4) == 6);
  CHECK(stage_of(VPass::backward_up, 1, 4) == 6);
  CHECK(is_forward(VPass::forward_up));
  CHECK_FALSE(is_forward(VPass::backward_up));
}

}  // namespace
}  // namespace steptwin
