#include "compare/measured_durations.h"

#include <doctest/doctest.h>

#include "tests/scenarios.h"

namespace steptwin::compare {
namespace {

Scenario one_hop() {
  return unqueued(stage_scenario("1f1b", 2, 1, 1, 10, 10, 10, 1));
}

TEST_CASE("compute takes from start to end, a transfer what the shorter of its ends took") {
  const Scenario scenario = one_hop();
  const Program program = lower(make_schedule(scenario), scenario);
  Trace trace = trace_of(program);
  std::size_t sends = 0;
  for (TraceKernel& kernel : trace.kernels) {
    if (kernel.step == StepType::fwd_send) kernel.times.start_ns -= 400;  // 1400 for 1000
    if (kernel.step == StepType::bwd_recv) kernel.times.start_ns += 300;  // 700 for 1000
    if (kernel.step == StepType::bwd) kernel.times.end_ns += 7;
    sends += kernel.kind == KernelKind::p2p ? 1 : 0;
  }
  REQUIRE(sends == 4);
  const MeasuredDurations durations = measured_durations(program, trace);
  for (std::size_t index = 0; index < program.kernels.size(); ++index) {
    const Kernel& kernel = program.kernels[index];
    CAPTURE(index);
    if (kernel.kind == KernelKind::p2p) {
      CHECK(durations.kernel_ns[index] == 0);
      const bool forward = kernel.direction == Direction::forward;
      CHECK(durations.transfer_ns[static_cast<std::size_t>(kernel.first_part)] ==
            (forward ? 1000 : 700));
    } else {
      CHECK(durations.kernel_ns[index] == (kernel.step == StepType::fwd ? 10'000 : 20'007));
    }
  }
}

// Two peers that are ranks of their own; rank 1 counts its all-to-alls from 250 ns before the other
// is there.
TEST_CASE("a collective takes what it took the member that had to wait least") {
  Scenario scenario = stage_scenario("1f1b", 1, 1, 1, 1, 1, 1, 0);
  use_moe_layers(scenario, 1);
  scenario.parallel.expert = 2;
  scenario.parallel.fold = false;
  const Program program = lower(make_schedule(scenario), scenario);
  Trace trace = trace_of(program);
  std::size_t collectives = 0;
  for (TraceKernel& kernel : trace.kernels) {
    if (kernel.kind != KernelKind::all_to_all) continue;
    ++collectives;
    if (kernel.rank == 1) kernel.times.start_ns -= 250;
  }
  REQUIRE(collectives == 8);
  const MeasuredDurations durations = measured_durations(program, trace);
  for (std::size_t index = 0; index < program.kernels.size(); ++index) {
    CHECK(durations.kernel_ns[index] == 1'000'000);
  }
}

TEST_CASE("of a batch each transfer has its own time") {
  Scenario scenario = stage_scenario("1f1b", 2, 1, 4, 10, 10, 10, 1);
  scenario.pipeline.p2p = P2pMode::batch;
  const Program program = lower(make_schedule(scenario), scenario);
  const Trace trace = trace_of(program);
  REQUIRE_FALSE(trace.parts.empty());
  for (const TimeNs transfer_ns : measured_durations(program, trace).transfer_ns) {
    CHECK(transfer_ns == 1000);
  }
}

TEST_CASE("a trace of another Program: the first difference is told") {
  const Scenario scenario = one_hop();
  const Program program = lower(make_schedule(scenario), scenario);
  const Trace trace = trace_of(program);
  CHECK(first_difference(program, trace) == "");
  Trace shorter = trace;
  shorter.kernels.pop_back();
  CHECK(first_difference(program, shorter) == "there are 7 kernels and not 8");
  shorter.kernels.erase(shorter.kernels.begin());
  CHECK(first_difference(program, shorter) == "kernel 0 is missing");
  Trace other = trace;
  other.kernels[0].micro = 5;
  CHECK(first_difference(program, other) ==
        "kernel 0 is compute chunk of rank 0, FWD(s0,m5) and not compute chunk of rank 0, "
        "FWD(s0,m0)");
  other = trace;
  other.kernels[1].peers.push_back(0);
  CHECK(first_difference(program, other).starts_with("kernel 1 is p2p p2p of rank 0, "));
}

}  // namespace
}  // namespace steptwin::compare
