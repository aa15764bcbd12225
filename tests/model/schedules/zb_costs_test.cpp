#include "model/schedules/zb_costs.h"

#include <doctest/doctest.h>

#include "model/error.h"

namespace steptwin {
namespace {

TEST_CASE("as many times of each kind as forwards, none negative") {
  check_costs("zbv", {{1, 0}, {2, 3}, {4, 5}, 0});
  CHECK_THROWS_WITH_AS(check_costs("zbv", {{1, 2}, {3}, {4, 5}, 0}),
                       "error: zbv with 1 backward-input times for 2 stages; expected one for each "
                       "stage",
                       Error);
  CHECK_THROWS_AS(check_costs("zbv", {{1}, {2}, {}, 0}), Error);
  CHECK_THROWS_WITH_AS(
      check_costs("zbv", {{1}, {2}, {-3}, 0}),
      "error: zbv with a backward-weight time of -3 ns; expected a time that is not negative",
      Error);
  CHECK_THROWS_WITH_AS(check_costs("zbv", {{1}, {2}, {3}, -4}),
                       "error: zbv with a P2P time of -4 ns; expected a time that is not negative",
                       Error);
}

}  // namespace
}  // namespace steptwin
