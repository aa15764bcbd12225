#include "hw/cuda/ranges.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/scenarios.h"

namespace steptwin::hw::cuda {
namespace {

TEST_CASE("ranges have PyTorch's names where it has one") {
  const Scenario plain = stage_scenario("1f1b", 2, 1, 1, 1, 1, 1, 1);
  const Program program = lower(make_schedule(plain), plain);
  CHECK(range_names(program, 0) ==
        std::vector<std::string>{"PP:0F0", "PP:0SEND_F0", "PP:0RECV_B0", "PP:0B0"});
  CHECK(range_names(program, 1) ==
        std::vector<std::string>{"PP:1RECV_F0", "PP:1F0", "PP:1B0", "PP:1SEND_B0"});
  Scenario batched = stage_scenario("1f1b", 2, 1, 2, 1, 1, 1, 1);
  batched.pipeline.p2p = P2pMode::batch;
  const std::vector<std::string> names = range_names(lower(make_schedule(batched), batched), 0);
  CHECK(std::count(names.begin(), names.end(), "PP:BATCH_SEND_RECV") > 0);
}

}  // namespace
}  // namespace steptwin::hw::cuda
