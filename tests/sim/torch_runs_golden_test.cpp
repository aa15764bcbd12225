#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/formats/torch_csv.h"
#include "model/passes/add_p2p.h"
#include "model/passes/align.h"
#include "tests/golden_torch.h"
#include "tests/scenarios.h"

// PyTorch's lowered schedules, with UNSHARD, RESHARD, REDUCE_GRAD and OVERLAP_F_B, run.
namespace steptwin {
namespace {

Schedule golden(const std::string& file) {
  std::ifstream in(test_data("golden/torch/" + file), std::ios::binary);
  REQUIRE(in);
  return read_torch_csv(std::string(std::istreambuf_iterator<char>(in), {}), file);
}

// Forward, input and weight gradients of 1 ms a stage, 0.1 ms a hop; parameters in two shards.
Trace run(const Schedule& schedule, double exchange_us) {
  const auto ranks = static_cast<std::int32_t>(schedule.ranks.size());
  Scenario scenario = unqueued(stage_scenario("1f1b", ranks, schedule.stages.stages() / ranks,
                                              schedule.micro_batches, 1000, 1000, 1000, 0));
  scenario.overlap.execution = OverlapExecution::sequential;
  scenario.parallel.expert = 2;
  scenario.stage.parameter_bytes = {1'000'000};
  scenario.network.by_node = true;
  scenario.network.devices_per_node = 2;
  scenario.network.intra_node.latency_us = exchange_us;
  scenario.network.inter_node.latency_us = 100;
  return trace_of(lower(schedule, scenario));
}

std::int64_t count_of(const Trace& trace, KernelKind kind) {
  return std::count_if(trace.kernels.begin(), trace.kernels.end(),
                       [kind](const TraceKernel& kernel) { return kernel.kind == kind; });
}

// Where gathering and reducing take no time, the step takes as long as its order of computing does
// with our own transfers; where they take some, longer.
TEST_CASE("PyTorch's lowered schedules take as long as their compute orders, and what FSDP adds") {
  const std::string ending = ".compute_comms.csv";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data("golden/torch"))) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    CAPTURE(name);
    const Schedule lowered = golden(name + ending);
    const Trace trace = run(lowered, 0);
    const Schedule order = golden(name + ".compute_only.csv");
    CHECK(makespan_ns(trace) == makespan_ns(run(add_p2p(align_columns(order)), 0)));
    CHECK(count_of(trace, KernelKind::all_gather) >= lowered.stages.stages());
    CHECK(count_of(trace, KernelKind::reduce_scatter) == lowered.stages.stages());
    CHECK(makespan_ns(run(lowered, 50)) >= makespan_ns(trace) + 100'000);
    ++files;
  }
  CHECK(files >= 14);
}

}  // namespace
}  // namespace steptwin
