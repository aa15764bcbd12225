#include <doctest/doctest.h>
#include <optional>

#include "hw/cuda/job.h"
#include "hw/team_job.h"
#include "sim/simulate.h"
#include "tests/hw/cuda/fake_run.h"
#include "tests/hw/thread_team.h"
#include "tests/scenarios.h"

// A rank in each process, with a GPU each: what mpirun starts, as threads.
namespace steptwin::hw::cuda {
namespace {

using Outcomes = std::vector<std::optional<std::variant<Run, Deadlock>>>;

Outcomes run_as_team(const Program& program, const RunOptions& options = quick_options()) {
  const std::size_t processes = program.ranks.size();
  Stop stop;
  ThreadTeam::Places places(processes, stop);
  Outcomes outcomes(processes);
  for_each_process(processes, [&](std::int32_t process) {
    ThreadTeam team(places, process);
    CudaJob own(program, quick_settings(), stop, &team);
    REQUIRE(own.ranks().size() == 1);
    TeamJob job(program, team, own);
    outcomes[static_cast<std::size_t>(process)] = execute(program, job, stop, options);
  });
  return outcomes;
}

Scenario pipeline() {
  Scenario scenario = stage_scenario("interleaved_1f1b", 3, 2, 6, 50, 50, 50, 10);
  scenario.stage.output_bytes = {10'000};
  scenario.streams.preset = StreamPreset::per_edge;
  return scenario;
}

TEST_CASE("a team of processes runs a pipeline on its GPUs") {
  const Program program = lowered(pipeline());
  const FakeMachine machine(3);
  const Outcomes outcomes = run_as_team(program);
  const Run& run = std::get<Run>(*outcomes[0]);
  REQUIRE(run.traces.size() == 1);
  const Trace& trace = run.traces[0];
  REQUIRE(trace.kernels.size() == program.kernels.size());
  // That a receive which is posted early begins with its send, only the times of both ranks tell.
  int begun_by_others = 0;
  for (const TraceKernel& kernel : trace.kernels) {
    CHECK(kernel.times.start_ns <= kernel.times.end_ns);
    if (kernel.kind != KernelKind::p2p) continue;
    if (kernel.times.start_ns > kernel.times.ready_ns) ++begun_by_others;
  }
  CHECK(begun_by_others > 0);
}

TEST_CASE("a team of processes calls collectives among its GPUs") {
  Scenario peers = stage_scenario("interleaved_1f1b", 2, 2, 4, 0, 0, 0, 10);
  use_moe_layers(peers, 2);
  peers.layers.attention = peers.layers.experts = {50, 25, 25};
  peers.layers.dispatch = peers.layers.combine = {0, 0, 20'000};
  peers.layers.output_bytes = 4096;
  peers.pipeline.overlap = OverlapMode::b_f;
  peers.parallel.expert = 2;
  peers.parallel.fold = false;
  const Program program = lowered(peers);
  const FakeMachine machine(4);
  const Outcomes outcomes = run_as_team(program);
  CHECK(std::get<Run>(*outcomes[0]).traces.at(0).kernels.size() == program.kernels.size());
}

TEST_CASE("what hangs in a team hangs in the simulator's cycle") {
  const Program program = lowered(hanging_scenario());
  const auto simulated = sim::simulate(program);
  const FakeMachine machine(2);
  RunOptions options = quick_options();
  options.deadline = std::chrono::milliseconds(300);
  const Outcomes outcomes = run_as_team(program, options);
  REQUIRE(std::holds_alternative<Deadlock>(*outcomes[0]));
  CHECK(std::get<Deadlock>(*outcomes[0]).cycle_text == std::get<Deadlock>(simulated).cycle_text);
}

TEST_CASE("a process without a GPU of its own is told so") {
  const Program program = lowered(pipeline());
  const FakeMachine machine(2);
  Stop stop;
  ThreadTeam::Places places(3, stop);
  ThreadTeam third(places, 2);
  CHECK_THROWS_WITH(CudaJob(program, quick_settings(), stop, &third),
                    "3 ranks want a GPU each, and this machine has 2");
}

}  // namespace
}  // namespace steptwin::hw::cuda
