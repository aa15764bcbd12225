#include "reports/import/pp_summary.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/reports/import/made_up_dump.h"

namespace steptwin::reports {
namespace {

constexpr TimeNs kMs = 1'000'000;

TEST_CASE("two iterations are warm-up where nobody says, but never all") {
  PpDump dump = read_pp_dump(made_up_dump());
  CHECK(default_warmup(dump) == 2);
  dump.iterations.resize(2);
  CHECK(default_warmup(dump) == 1);
  dump.iterations.resize(1);
  CHECK(default_warmup(dump) == 0);
  CHECK_THROWS_WITH_AS(
      summary_of(dump, 1),
      (dump.folder +
       ": error: has 1 iteration, of which 1 are left out as warm-up; expected fewer iterations of "
       "warm-up")
          .c_str(),
      Error);
}

// Steps 126, 126 and 137; rank 0 computes 90, 105 and 90, rank 1 90, 90 and 102.
TEST_CASE("a run in figures: over iterations, and by rank") {
  const PpSummary summary = summary_of(read_pp_dump(made_up_dump()), 2);
  CHECK(summary.warmup == 2);
  CHECK(summary.micro_batches == 3);
  CHECK(summary.step_p50_ns == 126 * kMs);
  CHECK(summary.step_p5_ns == 126 * kMs);
  CHECK(summary.step_p95_ns == 137 * kMs);
  REQUIRE(summary.iterations.size() == 3);
  CHECK(summary.iterations[2].number == 5);
  CHECK(summary.iterations[2].step_ns == 137 * kMs);
  CHECK(summary.iterations[2].bubble_ratio == doctest::Approx((47.0 + 35) / 274));
  CHECK(summary.bubble_ratio == doctest::Approx(36.0 / 126));  // of .286, .226 and .299
  CHECK(summary.uniform_bubble_ratio == 0.25);
  REQUIRE(summary.ranks.size() == 2);
  CHECK(summary.ranks[0].forward_ns == 10 * kMs);
  CHECK(summary.ranks[0].backward_ns == 20 * kMs);
  CHECK(summary.ranks[0].compute_ns == 90 * kMs);
  CHECK(summary.ranks[0].bubble_ratio == doctest::Approx(36.0 / 126));  // of .286, .167 and .343
  CHECK(summary.ranks[1].memory_gb == 30.5);
}

}  // namespace
}  // namespace steptwin::reports
