#include "hw/calibrate/chain.h"

#include <doctest/doctest.h>
#include <vector>

#include "tests/scenarios.h"

namespace steptwin::hw {
namespace {

constexpr TimeNs kCompute = 100;

void check_seconds(const std::vector<double>& seconds, const std::vector<double>& expected) {
  REQUIRE(seconds.size() == expected.size());
  for (std::size_t index = 0; index < seconds.size(); ++index) {
    CHECK(seconds[index] == doctest::Approx(expected[index]));
  }
}

// System: 3 hops, computing 100 ns, hops of 7 ns.
//   rank 0  0 ─100─ hop ─107        214 ─314─ hop ─321
//   rank 1               107 ─207─ hop ─214        321 ─421
TEST_CASE("a chain of transfers takes its computing and its hops, one after the other") {
  Program program = transfer_chain(3, kCompute, 64);
  REQUIRE(program.p2p_parts.size() == 6);
  for (P2pPart& part : program.p2p_parts) {
    CHECK(part.bytes == 64);
    part.transfer_ns = 7;
  }
  const Trace trace = trace_of(program);
  std::vector<std::int32_t> ranks(4, -1);
  for (const TraceKernel& kernel : trace.kernels) {
    if (kernel.kind != KernelKind::compute) continue;
    CHECK(kernel.times.start_ns == kernel.micro * 107);
    CHECK(kernel.times.end_ns == kernel.micro * 107 + kCompute);
    ranks.at(static_cast<std::size_t>(kernel.micro)) = kernel.rank;
  }
  CHECK(ranks == std::vector<std::int32_t>{0, 1, 0, 1});
  CHECK(makespan_ns(trace) == 4 * kCompute + 3 * 7);
  check_seconds(handovers(trace), {7e-9, 7e-9, 7e-9});
}

TEST_CASE("a chain of all-to-alls takes its computing and its calls") {
  Program program = collective_chain(3, kCompute, 64);
  int calls = 0;
  for (Kernel& kernel : program.kernels) {
    if (kernel.kind != KernelKind::all_to_all) continue;
    CHECK(kernel.bytes == 64);
    kernel.duration_ns = 9;
    ++calls;
  }
  CHECK(calls == 6);  // both ranks make each
  const Trace trace = trace_of(program);
  CHECK(makespan_ns(trace) == 4 * kCompute + 3 * 9);
  check_seconds(handovers(trace), {9e-9, 9e-9, 9e-9});
}

TraceKernel compute_of(std::int32_t rank, std::int32_t micro, TimeNs start_ns, TimeNs end_ns) {
  TraceKernel kernel;
  kernel.rank = rank;
  kernel.micro = micro;
  kernel.times = {0, start_ns, start_ns, end_ns};
  return kernel;
}

// The last end of a micro-batch, of all ranks, to the first start of the next; 1 ns where that is
// nothing, since a fit divides by it.
TEST_CASE("a handover is from the last end to the next first start") {
  Trace trace;
  TraceKernel transfer = compute_of(0, 0, 500, 600);
  transfer.kind = KernelKind::p2p;
  trace.kernels = {compute_of(0, 1, 20, 30), compute_of(1, 0, 2, 14),  transfer,
                   compute_of(0, 0, 0, 10),  compute_of(1, 1, 18, 40), compute_of(0, 2, 35, 50)};
  check_seconds(handovers(trace), {4e-9, 1e-9});
  CHECK(handovers({}).empty());
  trace.kernels = {compute_of(0, 0, 0, 10), compute_of(0, 2, 20, 30)};  // nothing follows either
  CHECK(handovers(trace).empty());
}

}  // namespace
}  // namespace steptwin::hw
