#include "compare/ladder.h"

#include <doctest/doctest.h>

#include "compare/measured_durations.h"
#include "tests/reports/trace_maker.h"
#include "tests/scenarios.h"
#include "tests/sim/program_writer.h"

namespace steptwin::compare {
namespace {

constexpr TimeNs kUs = 1000;

// Two ranks, two micro-batches, all forwards first; forward 10, backward 20, a hop 1:
//
//   rank 0  F0 0-10   F1 10-20                                 B0 52-72  B1 72-92
//   rank 1      F0 11-21  F1 21-31  B0 31-51  B1 51-71
Program two_ranks() {
  const Scenario scenario = unqueued(stage_scenario("gpipe", 2, 1, 2, 10, 10, 10, 1));
  return lower(make_schedule(scenario), scenario);
}

std::size_t kernel_of(const Program& program, StepType step, std::int32_t stage,
                      std::int32_t micro) {
  for (std::size_t index = 0; index < program.kernels.size(); ++index) {
    const Kernel& kernel = program.kernels[index];
    if (kernel.step == step && kernel.stage == stage && kernel.micro == micro) return index;
  }
  REQUIRE(false);
  return 0;
}

// F1 took 16 on rank 0 and F0 16 on rank 1, hops took 3, and rank 0 fell asleep for 5 before B1:
//
//   rank 0  F0 0-10  F1 10-26                               B0 62-82   B1 87-107
//   rank 1     F0 13-29  F1 29-39  B0 39-59  B1 59-79
Trace measurement(const Program& program) {
  Program real = program;
  real.kernels[kernel_of(program, StepType::fwd, 0, 1)].duration_ns = 16 * kUs;
  real.kernels[kernel_of(program, StepType::fwd, 1, 0)].duration_ns = 16 * kUs;
  for (P2pPart& part : real.p2p_parts) part.transfer_ns = 3 * kUs;
  Trace trace = trace_of(real);
  KernelTimes& last = trace.kernels[kernel_of(program, StepType::bwd, 0, 1)].times;
  CHECK(last.end_ns == 102 * kUs);
  last.start_ns += 5 * kUs;
  last.end_ns += 5 * kUs;
  return trace;
}

// With means every forward takes 13, so that F1 ends at 40 on rank 1; with each kernel's own
// duration at 37, since the two long forwards are beside each other.
TEST_CASE("the ladder: what each class of error is worth") {
  const Program program = two_ranks();
  const std::vector<Rung> rungs = ladder(program, measurement(program));
  REQUIRE(rungs.size() == 5);
  const std::array<TimeNs, 5> steps_us = {92, 101, 98, 102, 107};
  const std::array<TimeNs, 5> changes_us = {0, 9, -3, 4, 5};
  for (std::size_t at = 0; at < rungs.size(); ++at) {
    CAPTURE(at);
    CHECK(rungs[at].kind == kRungs[at]);
    CHECK(rungs[at].step_ns == steps_us[at] * kUs);
    CHECK(rungs[at].change_ns.value_or(0) == changes_us[at] * kUs);
    CHECK(rungs[at].error == doctest::Approx(static_cast<double>(steps_us[at] - 107) / 107));
    CHECK(rungs[at].why_not.empty());
  }
  CHECK_FALSE(rungs[0].change_ns);
  CHECK(rungs[4].error == 0.0);
}

TEST_CASE("a measurement that is the simulation: every rung is the same") {
  const Program program = two_ranks();
  for (const Rung& rung : ladder(program, trace_of(program))) {
    CHECK(rung.step_ns == 92 * kUs);
    CHECK(rung.error == 0.0);
  }
}

TEST_CASE("means are of a rank, part and direction, and rounded") {
  const Program program = two_ranks();
  Trace trace = trace_of(program);
  trace.kernels[kernel_of(program, StepType::fwd, 0, 1)].times.end_ns += 1;  // 10000 and 10001
  const Program means = with_measured(program, trace, RungKind::means);
  CHECK(means.kernels[kernel_of(program, StepType::fwd, 0, 0)].duration_ns == 10'001);
  CHECK(means.kernels[kernel_of(program, StepType::fwd, 0, 1)].duration_ns == 10'001);
  CHECK(means.kernels[kernel_of(program, StepType::fwd, 1, 1)].duration_ns == 10'000);
  CHECK(means.kernels[kernel_of(program, StepType::bwd, 0, 1)].duration_ns == 20'000);
}

TEST_CASE("contention is in what was measured, and is taken out with it") {
  Program program = two_ranks();
  program.contention.compute_loss = kWholeRate / 10;
  program.contention.comm_loss = kWholeRate / 10;
  const Trace trace = trace_of(two_ranks());
  const auto changed = [&](RungKind kind) {
    return with_measured(program, trace, kind).contention;
  };
  CHECK(changed(RungKind::ideal) == program.contention);
  CHECK(changed(RungKind::means).compute_loss == 0);
  CHECK(changed(RungKind::kernels).comm_loss == kWholeRate / 10);
  CHECK_FALSE(changed(RungKind::transfers).is_on());
}

// A receive that nobody sends to, whatever was measured.
TEST_CASE("a rung that hangs has no step time, and the next one is compared with nothing") {
  Program program = empty_program(2, {"compute"});
  const std::int32_t pair = add_communicator(program, {0, 1});
  ThreadWriter(program, 0, 0).recv(0, pair, 1, 5);
  reports::TraceMaker maker(2);
  maker.p2p(0, StepType::fwd_recv, -1, -1, {1}, {0, 0, 3, 10});
  const std::vector<Rung> rungs = ladder(program, maker.trace());
  CHECK_FALSE(rungs[3].step_ns);
  CHECK_FALSE(rungs[3].error);
  CHECK(rungs[3].why_not == "with these durations it hangs");
  CHECK(rungs[4].step_ns == 10);
  CHECK_FALSE(rungs[4].change_ns);
}

}  // namespace
}  // namespace steptwin::compare
