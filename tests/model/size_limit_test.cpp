#include "model/size_limit.h"

#include <doctest/doctest.h>
#include <string>

#include "model/error.h"
#include "tests/scenarios.h"

namespace steptwin {
namespace {

TEST_CASE("the estimate grows with the stages and with the micro-batches") {
  const double one = estimated_bytes(stage_scenario("1f1b", 4, 1, 8, 1, 1, 1, 1));
  CHECK(estimated_bytes(stage_scenario("1f1b", 8, 1, 8, 1, 1, 1, 1)) == doctest::Approx(2 * one));
  CHECK(estimated_bytes(stage_scenario("1f1b", 4, 3, 8, 1, 1, 1, 1)) == doctest::Approx(3 * one));
  CHECK(estimated_bytes(stage_scenario("1f1b", 4, 1, 80, 1, 1, 1, 1)) == doctest::Approx(10 * one));
}

// 4 transfers and, for each of 3 directions, 5 parts a layer: 19, 34 and 49 kernels a cell.
TEST_CASE("layers cost what their parts cost, and the stage with most layers counts") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 8, 1, 1, 1, 1);
  use_moe_layers(scenario, 1);
  const double one = estimated_bytes(scenario);
  use_moe_layers(scenario, 2);
  const double two = estimated_bytes(scenario);
  use_moe_layers(scenario, 3);
  CHECK(estimated_bytes(scenario) - two == doctest::Approx(two - one));
  scenario.layers.stages[0].resize(1);
  CHECK(estimated_bytes(scenario) - two == doctest::Approx(two - one));
}

// 64 ranks and 4096 micro-batches are 1.5 million kernels: some gigabytes at most.
TEST_CASE("a large but sane step is estimated in gigabytes, not in terabytes") {
  const double bytes = estimated_bytes(stage_scenario("1f1b", 64, 1, 4096, 1, 1, 1, 1));
  CHECK(bytes > 0.5e9);
  CHECK(bytes < 4e9);
}

TEST_CASE("what no machine could hold is refused with its numbers, what is small is not") {
  CHECK_NOTHROW(refuse_if_too_large(stage_scenario("1f1b", 4, 1, 8, 1, 1, 1, 1)));
  Scenario scenario = stage_scenario("1f1b", 65536, 1, 1 << 30, 1, 1, 1, 1);
  scenario.pipeline.micro_batches_at = {"big.toml", 3, 17};
  try {
    refuse_if_too_large(scenario);
    FAIL("accepted");
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(text.rfind("big.toml:3:17: error: 65536 stages with 1073741824 micro-batches would take "
                     "about",
                     0) == 0);
    CHECK(text.ends_with("expected fewer micro-batches or stages"));
  }
}

}  // namespace
}  // namespace steptwin
