#include "reports/import/pp_trace.h"

#include <doctest/doctest.h>

#include "reports/metrics.h"
#include "tests/reports/import/made_up_dump.h"

namespace steptwin::reports {
namespace {

constexpr TimeNs kMs = 1'000'000;

// To the clock of rank 1 at least 2 ms are to be added (F0 ends at 10 here, starts at 8 there), and
// at most 4 (B0 starts at 42.5 here, ends at 38.5 there).
TEST_CASE("neighbours' clocks: the middle between what forwards and backwards allow") {
  const PpDump dump = read_pp_dump(made_up_dump());
  const PpClocks clocks = clocks_of(dump.iterations[2]);
  CHECK(clocks.offset_ns == std::vector<TimeNs>{0, 3 * kMs});
  CHECK(clocks.round_trip_ns == std::vector<TimeNs>{2 * kMs});
}

TEST_CASE("a hop is half the round trip, a gap what passes where nothing is waited for") {
  const PpDump dump = read_pp_dump(made_up_dump());
  CHECK(measured_hop_ns({dump.iterations[2], dump.iterations[3]}) == 1 * kMs);
  CHECK(measured_gap_ns({dump.iterations[2], dump.iterations[3]}) == kMs / 2);
  CHECK(measured_gap_ns({dump.iterations[0]}) == 1 * kMs);
}

TEST_CASE("a single rank has no hops; times that contradict each other give none") {
  PpIteration one{1, {PpRank{{{0, 4}}, {{5, 9}}, 9, {}}}};
  CHECK_FALSE(measured_hop_ns({one}));
  CHECK(measured_gap_ns({one}) == 1);
  // F ends at 4 here and starts at 5 there; B ends at 9 there and starts at 8 here.
  PpIteration two{1, {PpRank{{{0, 4}}, {{8, 12}}, 12, {}}, PpRank{{{5, 6}}, {{6, 11}}, 11, {}}}};
  CHECK(clocks_of(two).round_trip_ns == std::vector<TimeNs>{-2});
  CHECK_FALSE(measured_hop_ns({two}));
}

TEST_CASE("a trace on one clock, a kernel for each operation, by rank and start") {
  const PpDump dump = read_pp_dump(made_up_dump());
  const Trace trace = trace_of(dump.iterations[4]);
  REQUIRE(trace.kernels.size() == 12);
  CHECK(trace.ranks.size() == 2);
  const TraceKernel& kernel = trace.kernels[8];  // of rank 1: F0 B0 F1
  CHECK(kernel.kernel == 8);
  CHECK(kernel.rank == 1);
  CHECK(kernel.stage == 1);
  CHECK(kernel.step == StepType::fwd);
  CHECK(kernel.direction == Direction::forward);
  CHECK(kernel.micro == 1);
  CHECK(kernel.kind == KernelKind::compute);
  CHECK(kernel.times == KernelTimes{42 * kMs, 42 * kMs, 42 * kMs, 64 * kMs});
  CHECK(trace.kernels[7].step == StepType::bwd);
  const Metrics metrics = compute_metrics(trace);
  CHECK(metrics.step_time_ns == 136'500'000);
  CHECK(broken_identity(metrics) == "");
}

}  // namespace
}  // namespace steptwin::reports
